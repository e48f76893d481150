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

/// All that a fitted model is: how rows are prepared, which features they get, and linear functions of these. W is not
/// part of it: it is drawn again from the seed.
struct Model {
  Preprocessing preprocessing;
  Spec spec;            ///< of the fitted features, with every parameter
  bool single = false;  ///< features are float
  std::string learner;
  LinearModel linear;  ///< one function, or one for each class or component; logistic and svc have one for two classes
  std::vector<double> class_weights = {};            ///< of nadaraya_watson, sums over the rows of each class; or empty
  std::optional<GaussianProcessFit> posterior = {};  ///< of gp; its mean is `linear`
  std::optional<KernelPcaFit> components = {};       ///< of pca; its model is `linear`
  std::map<std::string, double> facts;  ///< of the training, such as rows and alpha; nothing depends on them
};

/// The version of the files that save_model writes. load_model reads this one and all before.
inline constexpr std::uint64_t kModelVersion = 1;

/// Writes a safetensors file whole or not at all: weights as float64 and, in __metadata__, a checksummed JSON object
/// with everything else. Throws FileError for what cannot be written, or could not be read again (a header of more than
/// 1 MiB), std::invalid_argument for a model whose parts do not fit.
BOCHNER_EXPORT void save_model(const std::filesystem::path& file, const Model& model);

/// Throws FileError where save_model is bound to fail: a missing folder, something that is not a file in its place, or
/// a name that ends like that of a table (.csv, .npy, .libsvm, ..., also with .gz), there or not.
BOCHNER_EXPORT void check_model_target(const std::filesystem::path& file);

/// Throws FileError for anything that is not such a file, whole and unchanged: lengths, shapes and offsets are compared
/// with each other and with the size of the file before anything is allocated.
BOCHNER_EXPORT Model load_model(const std::filesystem::path& file);

/// About as many bytes as a ModelPredictor takes, with blocks of rows of a file: W, the model and 128 MiB.
BOCHNER_EXPORT double prediction_bytes(const Model& model);

/// What decides how much memory a fit to rows in memory takes.
struct FitSize {
  std::size_t rows = 0;
  std::size_t functions = 1;    ///< targets, or classes
  bool single = false;          ///< features are float
  std::size_t folds = 0;        ///< > 0: products are summed for each fold by itself (ridge)
  bool gathered = false;        ///< rows come in batches: only sums over them are kept
  std::size_t search_rows = 0;  ///< most rows on which a lengthscale is searched for
  double cache = 0;             ///< most bytes of features that are kept from pass to pass (logistic, svc)
};

struct FitMemory {
  double bytes = 0;         ///< about as many as the fit takes at once, beside its rows
  double left = 0;          ///< of the machine, its control group or the address space (RLIMIT_AS), whichever has least
  double most_outputs = 0;  ///< of features for which it fits, in whole directions
};

/// The memory of a fit, known before anything is drawn or allocated: W, blocks of features, the matrices of the learner
/// (a word of learner_names, or empty: only W and a block of rows). `outputs`: those of the features of `spec`, which
/// may have a map whose width only data tell. Throws std::invalid_argument for a spec that make_features refuses.
BOCHNER_EXPORT FitMemory fit_memory(std::string_view learner, const Spec& spec, std::size_t outputs,
                                    const FitSize& size);

/// A model with its features drawn. Any number of threads may use one.
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
  /// n x 1, n x classes or, of pca, n x components, for rows of PreparedRows. The bits of a row depend on that row
  /// alone. Where two classes have one function f the scores are -f and f.
  Matrix<double> scores(MatrixView<const double> X) const;
  /// Throws std::invalid_argument for components, which predict nothing.
  void require_predictions() const;
  /// A number for each row; for classification the number of the class with the largest score, of equal ones the first.
  std::vector<double> predict(MatrixView<const double> X) const;
  /// Why the model has no probabilities, as a sentence; empty where it has: logistic, and nadaraya_watson on features
  /// that are not negative.
  std::string without_probabilities() const;
  /// n x classes, what `class_probabilities` makes of the scores of logistic; of nadaraya_watson scores over their sum,
  /// where that is 0 the shares of the classes. Throws std::invalid_argument where there are none.
  Matrix<double> probabilities(MatrixView<const double> X) const;
  /// The variance of f(x), of gp only, or with the noise that of a new y (see predictive_variance); of other learners
  /// std::invalid_argument.
  PredictiveVariance variances(MatrixView<const double> X, bool noise = false) const;
  /// phi(x) for each row, as double.
  Matrix<double> transform(MatrixView<const double> X) const;

 private:
  Matrix<double> functions(MatrixView<const double> X) const;

  Model model_;
  std::unique_ptr<Features> features_;
};

/// How well a model does on rows that it has not seen.
struct Metrics {
  std::uint64_t rows = 0;
  double rmse = 0, mae = 0;
  double r2 = 0;        ///< 1 - (sum of squared errors) / (sum of squares about the mean)
  double accuracy = 0;  ///< of classification
  /// Mean of -log p(class of the row), p at least 2^-52; empty for models without probabilities.
  std::optional<double> log_loss = {};
  Matrix<double> confusion;  ///< rows of class i that were taken for class j
};

/// Every row of the file, or only those held out (see is_held_out).
BOCHNER_EXPORT Metrics evaluate(const ModelPredictor& predictor, RowSource& rows, std::optional<double> holdout = {},
                                const Progress& progress = {});

struct ModelRequest {
  PreprocessingRequest preprocessing = {};
  /// d is filled in. map and coupling "auto": the defaults of make_features. Nothing here ranks mechanisms by the error
  /// of the kernel, which hardly ranks the errors of predictions.
  Spec spec = {};
  double target_error = 0;          ///< > 0: the least m with this rms error of the kernel, for this map and coupling
  std::size_t max_outputs = 65536;  ///< of the features that target_error may ask for
  /// A word of lengthscale_rules(); `search`, by the error of ridge or the likelihood of gp on the sample; `ard`, one
  /// for each input by that likelihood; or empty: that of the spec.
  std::string lengthscale_rule = "scale";
  std::string learner = {};                    ///< a word of learner_names(task); empty: the first of them
  std::optional<double> alpha = {};            ///< of ridge; empty: by 5 folds
  std::optional<double> C = {};                ///< of logistic and svc; empty: 1
  bool balanced = false;                       ///< logistic and svc: all classes weigh the same (balanced_weights)
  std::optional<std::size_t> components = {};  ///< of pca; empty: 2
  std::optional<bool> single = {};             ///< float features; empty: where the file stores float
  std::size_t memory = 0;                      ///< most bytes to use; 0: what the machine has
  /// Fill in ModelFit::details, which takes about as long again, of logistic and svc about four times as long. Refused
  /// where no row is held out, but for components.
  bool details = false;
};

/// What a page about a fit shows beside the model and its metrics.
struct FitDetails {
  /// The learner with fewer directions of the same seed, and with all of them.
  struct Size {
    std::size_t m, outputs;
    double error;  ///< on the rows held out: rmse, or the share of wrong classes
  };
  std::vector<double> alphas = {},
                      alpha_errors = {};  ///< of ridge: its path and the mean squared errors over the folds
  /// Of logistic and svc: C / 100, C / 10, C and 10 C, and the shares of wrong classes on the rows held out.
  std::vector<double> Cs = {}, C_errors = {};
  std::vector<Size> sizes = {};
  /// Eigenvalues over n of the kernel and of phi(x) . phi(y) on n <= 512 rows of the sample, descending; the second is
  /// empty where the map is not symmetric.
  std::vector<double> kernel_spectrum = {}, feature_spectrum = {};
  std::vector<double> truths = {}, predictions = {};  ///< of regression, on up to 2000 rows held out
};

struct ModelFit {
  Model model;
  Metrics holdout;                 ///< rows = 0 where none were held out
  std::vector<std::string> notes;  ///< what was chosen and why, a sentence each
  std::optional<FitDetails> details = {};
};

/// Learners of a task by name.
///   ridge                 least squares with penalty alpha (KernelRidge); classes as 0 and 1, the largest wins
///   gp                    regression with an uncertainty (GaussianProcess)
///   logistic              multinomial logistic regression (KernelLogistic)
///   logistic_one_vs_rest  each class against the rest
///   svc                   squared hinge, each class against the rest (KernelSVC)
///   nadaraya_watson       means of the kernel over the rows of each class (KernelClassifier)
///   pca                   principal components of the features (KernelPCA): the task `components`, without a target
BOCHNER_EXPORT std::vector<std::string_view> learner_names(Task task);

/// Fits a model to the rows of a file in a few passes: one to learn columns and take a sample of 2000 rows, from which
/// the lengthscale, m by a wanted error and missing parameters come, those of the learner, and one over the rows held
/// out. Memory does not grow with the number of rows, but for 8 bytes a row (24 with weights) of logistic and svc,
/// which also keep the rows where these take at most half of the memory that is left, and else read them again at every
/// pass. Throws std::invalid_argument for requests that do not fit (naming the largest m that the memory allows),
/// FileError for files.
BOCHNER_EXPORT ModelFit fit_model(RowSource& rows, const ModelRequest& request, const Progress& progress = {});

}  // namespace bochner
