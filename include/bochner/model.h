// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bochner/export.h"
#include "bochner/features.h"
#include "bochner/gaussian_process.h"
#include "bochner/kernel_pca.h"
#include "bochner/kernel_ridge.h"
#include "bochner/preprocessing.h"
#include "bochner/row_source.h"
#include "bochner/spec.h"

namespace bochner {

/// Everything in a fitted model: how rows are prepared, which features they get, and linear functions of the features.
/// W is not part of it: W is drawn again from the seed.
struct Model {
  Preprocessing preprocessing;
  Spec spec;            ///< of the fitted features, with every parameter
  bool single = false;  ///< features are float
  std::string learner;
  LinearModel linear;  ///< one function, or one per class or component; logistic and svc have one for two classes
  std::vector<double> class_weights = {};            ///< nadaraya_watson: sums over the rows of each class; else empty
  std::optional<GaussianProcessFit> posterior = {};  ///< gp only; its mean is `linear`
  std::optional<KernelPcaFit> components = {};       ///< pca only; its model is `linear`
  std::map<std::string, double> facts;  ///< about the training, such as rows and alpha; nothing depends on them
};

/// The version of the files that save_model writes. load_model reads this version and all earlier ones.
inline constexpr std::uint64_t kModelVersion = 1;

/// Writes a safetensors file whole or not at all: weights as float64 and, in __metadata__, a checksummed JSON object
/// with everything else. Throws FileError if the file cannot be written or could not be read again (a header of more
/// than 1 MiB), std::invalid_argument for a model whose parts do not fit together.
BOCHNER_EXPORT void save_model(const std::filesystem::path& file, const Model& model);

/// Throws FileError if save_model is bound to fail: the folder is missing, something other than a file has this name,
/// or the name ends like that of a table (.csv, .npy, .libsvm, ..., also with .gz), whether or not the file exists.
BOCHNER_EXPORT void check_model_target(const std::filesystem::path& file);

/// Throws FileError for anything but a complete, unchanged file of this kind: lengths, shapes and offsets are compared
/// with each other and with the size of the file before anything is allocated.
BOCHNER_EXPORT Model load_model(const std::filesystem::path& file);

/// About how many bytes a ModelPredictor takes, together with blocks of rows of a file: W, the model and 128 MiB.
BOCHNER_EXPORT double prediction_bytes(const Model& model);

/// What determines how much memory a fit takes.
struct FitSize {
  std::size_t rows = 0;
  std::size_t functions = 1;    ///< targets, or classes
  bool single = false;          ///< features are float
  std::size_t folds = 0;        ///< > 0: products are summed separately for each fold (ridge)
  bool gathered = false;        ///< rows come in batches, and only sums over them are kept
  std::size_t search_rows = 0;  ///< the most rows on which a lengthscale is searched
  double cache = 0;             ///< the most bytes of features kept from pass to pass (logistic, svc)
};

struct FitMemory {
  double bytes = 0;         ///< about the most that the fit holds at once, without its rows
  double left = 0;          ///< memory left: the least of the machine's, its control group's and RLIMIT_AS's
  double most_outputs = 0;  ///< the most feature outputs that fit, in whole directions
};

/// The memory of a fit, known before anything is drawn or allocated: W, blocks of features, the matrices of the learner
/// (a name from learner_names, or empty: only W and a block of rows). `outputs` is the number of outputs of the
/// features of `spec`, whose map may have a width that depends on data. Throws std::invalid_argument for a spec that
/// make_features refuses.
BOCHNER_EXPORT FitMemory fit_memory(std::string_view learner, const Spec& spec, std::size_t outputs,
                                    const FitSize& size);

/// A model with its features drawn. Any number of threads may use it at once.
class BOCHNER_EXPORT ModelPredictor {
 public:
  explicit ModelPredictor(Model model);
  ~ModelPredictor();
  ModelPredictor(ModelPredictor&&) noexcept;
  ModelPredictor& operator=(ModelPredictor&&) noexcept;

  const Model& model() const { return model_; }
  const Features& features() const { return *features_; }
  /// Gives the model back.
  Model take() && { return std::move(model_); }
  /// n x 1, n x classes or, for pca, n x components, for rows of PreparedRows. The bits of a row depend on that row
  /// alone. If two classes share one function f, the scores are -f and f.
  Matrix<double> scores(MatrixView<const double> X) const;
  /// Throws std::invalid_argument for the task `components`, which predicts nothing.
  void require_predictions() const;
  /// A number for each row; for classification the number of the class with the largest score, the first one if tied.
  std::vector<double> predict(MatrixView<const double> X) const;
  /// A sentence that says why the model has no probabilities; empty if it has them: logistic, and nadaraya_watson on
  /// features that are not negative.
  std::string without_probabilities() const;
  /// n x classes. For logistic: `class_probabilities` of the scores; for nadaraya_watson: scores over their sum or,
  /// where that is 0, the shares of the classes. Throws std::invalid_argument if the model has no probabilities.
  Matrix<double> probabilities(MatrixView<const double> X) const;
  /// gp only: the variance of f(x) or, with `noise`, of a new y (see predictive_variance). Throws std::invalid_argument
  /// for other learners.
  PredictiveVariance variances(MatrixView<const double> X, bool noise = false) const;
  /// phi(x) for each row, as double.
  Matrix<double> transform(MatrixView<const double> X) const;

 private:
  Matrix<double> functions(MatrixView<const double> X) const;

  Model model_;
  std::unique_ptr<Features> features_;
};

/// How well a model does on a set of rows, such as the held-out ones.
struct Metrics {
  std::uint64_t rows = 0;
  double rmse = 0, mae = 0;
  double r2 = 0;        ///< 1 - (sum of squared errors) / (sum of squares about the mean)
  double accuracy = 0;  ///< classification only
  /// Mean of -log p(class of the row), with p at least 2^-52; empty for models without probabilities.
  std::optional<double> log_loss = {};
  Matrix<double> confusion;  ///< how many rows of class i were predicted to be of class j
};

/// Uses every row of the file, or only the held-out ones (see is_held_out).
BOCHNER_EXPORT Metrics evaluate(const ModelPredictor& predictor, RowSource& rows, std::optional<double> holdout = {},
                                const Progress& progress = {});

struct ModelRequest {
  PreprocessingRequest preprocessing = {};
  /// d is filled in. map and coupling "auto" mean the defaults of make_features. Nothing here ranks maps and couplings
  /// by the error of the kernel, because that hardly ranks the errors of predictions.
  Spec spec = {};
  double target_error = 0;  ///< > 0: use the least m with this rms error of the kernel, for this map and coupling
  std::size_t max_outputs = 65536;  ///< the most outputs that target_error may ask for
  /// A name from lengthscale_rules(); `search`, by the error of ridge or the likelihood of gp on the sample; `ard`, one
  /// lengthscale for each input by that likelihood; or empty: the lengthscale of the spec.
  std::string lengthscale_rule = "scale";
  std::string learner = {};                    ///< a name from learner_names(task); empty: the first of them
  std::optional<double> alpha = {};            ///< ridge; empty: chosen by 5 folds
  std::optional<double> C = {};                ///< logistic and svc; empty: 1
  bool balanced = false;                       ///< logistic and svc: all classes get the same weight (balanced_weights)
  std::optional<std::size_t> components = {};  ///< pca; empty: 2
  std::optional<bool> single = {};             ///< float features; empty: float if the file stores float
  std::size_t memory = 0;                      ///< the most bytes to use; 0: what the machine has
  /// Fill in ModelFit::details, which takes about as long again; for logistic and svc about four times as long. Refused
  /// if no row is held out, except for components.
  bool details = false;
};

/// What a report page about a fit shows besides the model and its metrics.
struct FitDetails {
  /// The learner with fewer directions of the same seed, and with all of them.
  struct Size {
    std::size_t m, outputs;
    double error;  ///< on the held-out rows: rmse, or the share of wrong classes
  };
  std::vector<double> alphas = {}, alpha_errors = {};  ///< ridge: its path and the mean squared errors over the folds
  /// logistic and svc: C / 100, C / 10, C and 10 C, and the shares of wrong classes on the held-out rows.
  std::vector<double> Cs = {}, C_errors = {};
  std::vector<Size> sizes = {};
  /// Eigenvalues over n of the kernel and of phi(x) . phi(y) on n <= 512 rows of the sample, descending; the second is
  /// empty where the map is not symmetric.
  std::vector<double> kernel_spectrum = {}, feature_spectrum = {};
  std::vector<double> truths = {}, predictions = {};  ///< regression: on up to 2000 held-out rows
};

struct ModelFit {
  Model model;
  Metrics holdout;                 ///< rows = 0 if none were held out
  std::vector<std::string> notes;  ///< what was chosen and why, one sentence each
  std::optional<FitDetails> details = {};
};

/// Learners of a task by name.
///   ridge                 least squares with penalty alpha (KernelRidge); classes as 0 and 1, the largest wins
///   gp                    regression with an uncertainty (GaussianProcess)
///   logistic              multinomial logistic regression (KernelLogistic)
///   logistic_one_vs_rest  each class against the rest
///   svc                   squared hinge, each class against the rest (KernelSVC)
///   nadaraya_watson       sums of the kernel over the rows of each class (KernelClassifier)
///   pca                   principal components of the features (KernelPCA): the task `components`, without a target
BOCHNER_EXPORT std::vector<std::string_view> learner_names(Task task);

/// Fits a model to the rows of a file in a few passes. The first learns the columns and takes a sample of 2000 rows,
/// from which the lengthscale, m for a wanted error and missing parameters are found; then come the passes of the
/// learner, and one over the held-out rows. Memory does not grow with the number of rows, except for 8 bytes a row (24
/// with weights) in logistic and svc. These also keep the rows if that takes at most half of the memory left, and
/// otherwise read them again in every pass. Throws std::invalid_argument for requests that do not fit (naming the
/// largest m that the memory allows), FileError for files.
BOCHNER_EXPORT ModelFit fit_model(RowSource& rows, const ModelRequest& request, const Progress& progress = {});

}  // namespace bochner
