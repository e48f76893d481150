// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/learner.h"

namespace bochner {

/// A linear classifier on features by Newton's method (linear_classifier.h). Labels are kept in memory, and the rows
/// too if they fit into request.row_memory; otherwise every pass goes through request.each. The bits are the same
/// either way.
Learned fit_classifier(const LearnerRequest& request, ClassifierLoss loss);

/// Bytes of the sums of segments, the vectors of the method and the features of the blocks that threads work on.
double classifier_bytes(double outputs, double functions);

}  // namespace bochner
