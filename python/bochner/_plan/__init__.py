# SPDX-License-Identifier: Apache-2.0
"""Which mechanism suits some rows, and whether it keeps what was predicted."""
