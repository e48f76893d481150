# SPDX-License-Identifier: Apache-2.0
"""Model files: estimators written and read."""
