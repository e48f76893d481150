# SPDX-License-Identifier: Apache-2.0
"""Which mechanism suits given rows, and whether its error is as predicted."""
