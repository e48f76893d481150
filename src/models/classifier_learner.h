// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/learner.h"

namespace bochner {

/// A linear classifier on features by Newton's method (linear_classifier.h). Labels are kept; the rows too where
/// request.row_memory has room for them, else every pass goes through request.each: the same bits either way.
Learned fit_classifier(const LearnerRequest& request, ClassifierLoss loss);

/// Sums of segments, vectors of the method, features of the blocks that threads work on.
double classifier_bytes(double outputs, double functions);

}  // namespace bochner
