# SPDX-License-Identifier: Apache-2.0
"""Estimators with the conventions of scikit-learn."""
