# SPDX-License-Identifier: Apache-2.0
"""Attention in linear time: the function and the state of step-by-step decoding."""
