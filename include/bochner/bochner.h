// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Random features: k(x, y) ~ phi(x) . phi(y),  phi(x) = f(W x),  W ~ coupling(law).
///
///     bochner::Spec spec{.d = 3, .m = 512};
///     auto features = bochner::make_features(spec);
///     bochner::Matrix<float> Z(X.rows(), features->outputs());
///     features->transform(X, Z);

#include "bochner/array.h"
#include "bochner/attention.h"
#include "bochner/binary_embedding.h"
#include "bochner/compose.h"
#include "bochner/error_report.h"
#include "bochner/features.h"
#include "bochner/gaussian_process.h"
#include "bochner/gram.h"
#include "bochner/half.h"
#include "bochner/kernel_matrix.h"
#include "bochner/kernel_pca.h"
#include "bochner/kernel_ridge.h"
#include "bochner/lengthscale.h"
#include "bochner/linear_classifier.h"
#include "bochner/matrix.h"
#include "bochner/matrix_view.h"
#include "bochner/model.h"
#include "bochner/parameters.h"
#include "bochner/plan.h"
#include "bochner/preprocessing.h"
#include "bochner/registry.h"
#include "bochner/row_source.h"
#include "bochner/softmax_sampler.h"
#include "bochner/spec.h"
#include "bochner/table.h"
#include "bochner/theory.h"
#include "bochner/threads.h"
#include "bochner/version.h"
