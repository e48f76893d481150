// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "bochner/model.h"
#include "bochner/table.h"
#include "cli/expect_refused.h"
#include "cli/generated_rows.h"
#include "support/gzip.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using test::TemporaryFolder;
using Words = std::vector<std::string>;

void fit_here(const TemporaryFolder& folder, const char* input, const char* model, const char* learner = "",
              bool single = false) {
  const auto rows = open_rows(folder / input, {.words = true});
  ModelRequest request;
  request.single = single;
  request.preprocessing.target = "y";
  request.spec.m = 8;
  request.learner = learner;
  save_model(folder / model, fit_model(*rows, request).model);
}

void write_inputs(const TemporaryFolder& folder) {
  test::write_regression(folder, "rows.csv", 60);
  test::write_classes(folder, "classes.csv", 60);
  fit_here(folder, "rows.csv", "good");
  fit_here(folder, "classes.csv", "classes");
  fit_here(folder, "classes.csv", "sums", "nadaraya_watson");
  folder.write("two.csv", "a,y\n1,2\n3,4\n5,6.5\n");
  fit_here(folder, "two.csv", "single", "", true);
  folder.write("huge.csv", "a,y\n1,2\n1e100,3\n4,5.5\n");
  folder.write("huge_classes.csv", "a,y\n1,u\n1e100,v\n4,u\n");
  folder.write("huge_target.csv", "a,y\n1,2.5\n2,-1e200\n3,1e250\n");
  folder.write("comma.csv", "a,y\n\"1,5\",2\n\"2,5\",3\n");
  folder.write("twice.csv", "red,blue,red\n2,3,4\n");
  folder.write("rows.svm", "1 1:2\n2 1:3\n");
  std::string words = "w,y\n";
  for (std::size_t i = 0; i < 9500; ++i) words += std::string(120, 'w') + std::to_string(100'000 + i) + ",1.5\n";
  folder.write("long.csv", words);
  folder.write("plain.csv", "1,2\n3,4.5\n5,6\n");
  folder.write("missing.csv", "a,y\n1,2\n,3\n4,5\n");
  folder.write("no_target.csv", "a,y\n1,2\n3,\n");
  folder.write("text.csv", "a,y\n1,2\nx,3\n");
  folder.write("header.csv", "a,y\n");
  folder.write("alone.csv", "y\n1\n2\n");
  folder.write("one_class.csv", "a,y\n1,u\n2,u\n");
  std::string constant = "a,y\n";
  for (int i = 0; i < 20; ++i) constant += std::to_string(i) + ",3\n";
  folder.write("constant.csv", constant);
  folder.write("empty.csv", "");
  folder.write("bad.svm", "1 1:2\n1 0:3\n");
  folder.write("packed.csv", test::gzip("a,y\n1,2\n"));
  folder.write("short.csv.gz", test::gzip("a,y\n1,2\n3,4\n").substr(0, 20));
  folder.write("other.csv", "a,b,d\n1,2,3\n");
  folder.write("word.csv", "a,b,w\n1,1,green\n");
  folder.write("broken", folder.read("good").substr(0, 500));
  std::string damaged = folder.read("good");
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  folder.write("damaged", damaged);
  Matrix<double> nan(3, 2, 1.0);
  nan(1, 0) = std::numeric_limits<double>::quiet_NaN();
  nan(2, 1) = 7.5;
  write_table(folder / "nan.npy", Table{std::move(nan), {}});
  std::filesystem::create_directory(folder / "folder");
}

struct Case {
  const char* name;
  Words arguments;
  Words words;
};

Words fit(const std::string& input, Words more = {}) {
  Words all = {"fit", input, "--target", "y", "--model", "new"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}
Words rows(Words more) { return fit("rows.csv", std::move(more)); }

const Case kCases[] = {
    {"FitNothing", {"fit"}, {"no input file", "fit --help"}},
    {"FitNoModel", {"fit", "rows.csv", "--target", "y"}, {"no model", "--model"}},
    {"FitNoTarget", {"fit", "rows.csv", "--model", "new"}, {"rows.csv needs a target"}},
    {"FitUnknownTarget", {"fit", "rows.csv", "--model", "new", "--target", "Y"}, {"unknown target 'Y'", "'y'"}},
    {"FitTargetByNumberOfNamed", {"fit", "rows.csv", "--model", "new", "--target", "4"}, {"unknown target '4'"}},
    {"FitTargetBeyond", {"fit", "plain.csv", "--model", "new", "--target", "3"}, {"target is '3'", "1 to 2"}},
    {"FitTargetZero", {"fit", "plain.csv", "--model", "new", "--target", "0"}, {"target is '0'", "1 to 2"}},
    {"FitTargetOfText", {"fit", "plain.csv", "--model", "new", "--target", "y"}, {"target is 'y'", "no column names"}},
    {"FitUnknownOption", rows({"--learnr", "ridge"}), {"unknown option '--learnr'", "--learner"}},
    {"FitUnknownTask", rows({"--task", "ranking"}), {"unknown task 'ranking'", "regression"}},
    {"FitUnknownLearner", rows({"--learner", "rigde"}), {"unknown learner 'rigde'", "did you mean 'ridge'"}},
    {"FitLearnerOfOtherTask", rows({"--learner", "nadaraya_watson"}), {"learner is 'nadaraya_watson'", "ridge"}},
    {"FitUnknownKernel", rows({"--kernel", "gausian"}), {"unknown kernel", "gaussian"}},
    {"FitUnknownMap", rows({"--map", "cosin"}), {"unknown map", "cosine"}},
    {"FitAsymmetricMap", rows({"--map", "complex_exponential", "--A", "0.5,0.5,0.5"}), {"complex_exponential"}},
    {"FitZeroM", rows({"--m", "0"}), {"m is 0", ">= 1"}},
    {"FitTextM", rows({"--m", "many"}), {"--m is 'many'"}},
    {"FitAutoMWithoutError", rows({"--m", "auto"}), {"--error", "--m auto"}},
    {"FitMoreOutputsThanMayBe",
     rows({"--m", "auto", "--error", "0.05", "--max-outputs", "64"}),
     {"--error is 0.05; expected a larger error, or --max-outputs ", " instead of 64"}},
    {"FitConstantWholeNumber",
     fit("constant.csv"),
     {"constant.csv", "column 2, the target, is always '3', which is taken for a class", "the task 'regression'"}},
    {"FitMostOutputsWithoutAutoM", rows({"--max-outputs", "64"}), {"--max-outputs", "--error"}},
    {"FitErrorWithoutAutoM", rows({"--error", "0.1"}), {"--error", "--m auto"}},
    {"FitNegativeError", rows({"--m", "auto", "--error", "-1"}), {"--error is '-1'", "> 0"}},
    {"FitTextError", rows({"--m", "auto", "--error", "small"}), {"--error is 'small'"}},
    {"FitMBeyondMemory", rows({"--m", "2000000"}), {"m is 2000000", "at most", "memory"}},
    {"FitMBeyondLimit", rows({"--m", "5000", "--memory", "200M"}), {"m is 5000", "at most", "200 MiB"}},
    {"FitNoMemory", rows({"--memory", "1M"}), {"memory is 1 MiB", "at least"}},
    {"FitTextMemory", rows({"--memory", "much"}), {"--memory is 'much'", "1G"}},
    {"FitZeroMemory", rows({"--memory", "0"}), {"--memory is '0'"}},
    {"FitNegativeMemory", rows({"--memory", "-1G"}), {"--memory is '-1G'"}},
    {"FitMemoryOverflow", rows({"--memory", "99999999999999999G"}), {"--memory"}},
    {"FitMemoryUnit", rows({"--memory", "1T"}), {"--memory is '1T'"}},
    {"FitNegativeAlpha", rows({"--alpha", "-1"}), {"--alpha is '-1'", ">= 0"}},
    {"FitAlphaNan", fit("bad.svm", {"--alpha", "nan"}), {"--alpha is 'nan'", ">= 0"}},
    {"FitTextAlpha", rows({"--alpha", "none"}), {"--alpha is 'none'"}},
    {"FitTwoAlphas", rows({"--alpha", "1,2"}), {"--alpha is '1,2'"}},
    {"FitAlphaOfLogistic", fit("classes.csv", {"--learner", "logistic", "--alpha", "1"}), {"alpha is 1", "takes C"}},
    {"FitCOfRidge", rows({"--C", "1"}), {"C is 1", "takes alpha"}},
    {"FitCOfProcess", rows({"--learner", "gp", "--C", "1"}), {"C is 1", "neither"}},
    {"FitZeroC", fit("classes.csv", {"--learner", "svc", "--C", "0"}), {"--C is '0'", "> 0"}},
    {"FitInfiniteC", fit("bad.svm", {"--C", "inf"}), {"--C is 'inf'", "finite"}},
    {"FitTextC", fit("classes.csv", {"--learner", "svc", "--C", "big"}), {"--C is 'big'"}},
    {"FitProcessOfClasses", fit("classes.csv", {"--learner", "gp"}), {"learner is 'gp'", "svc"}},
    {"FitAsymmetricLogistic",
     fit("classes.csv", {"--learner", "logistic", "--map", "complex_exponential", "--A", "0.5,0.5,0.5,0.5"}),
     {"complex_exponential"}},
    {"FitReportWithoutHoldout", rows({"--report", "r.html", "--holdout", "0"}), {"--report", "--holdout is 0"}},
    {"FitReportInMissingFolder", rows({"--report", "no/r.html"}), {"no/r.html", "does not exist"}},
    {"FitReportIsTheInput", rows({"--report", "./rows.csv"}), {"--report", "another file than the input"}},
    {"FitReportNamedAsATable", rows({"--report", "new.npy"}), {"new.npy", "end in .npy", "those of tables"}},
    {"FitModelNamedAsATable",
     {"fit", "rows.csv", "--target", "y", "--model", "new.csv"},
     {"new.csv", "end in .csv", "those of tables"}},
    {"FitModelNamedAsATableThere",
     {"fit", "rows.csv", "--target", "y", "--model", "classes.csv"},
     {"classes.csv", "end in .csv", "those of tables"}},
    {"FitModelNamedAsAPackedTable",
     {"fit", "rows.csv", "--target", "y", "--model", "no.svm.gz"},
     {"no.svm.gz", "end in .svm", "those of tables"}},
    {"FitReportIsTheModel", rows({"--report", "./new"}), {"--report", "another file than the model"}},
    {"FitHoldoutOne", rows({"--holdout", "1"}), {"--holdout is '1'", "< 1"}},
    {"FitHoldoutNegative", rows({"--holdout", "-0.5"}), {"--holdout is '-0.5'"}},
    {"FitHoldoutText", rows({"--holdout", "tenth"}), {"--holdout is 'tenth'"}},
    {"FitTextLengthscale", rows({"--lengthscale", "wide"}), {"--lengthscale is 'wide'"}},
    {"FitZeroLengthscale", rows({"--lengthscale", "0"}), {"lengthscale is 0"}},
    {"FitTwoLengthscales", rows({"--lengthscale", "1,2"}), {"lengthscale", "2 numbers", "3 coordinates"}},
    {"FitHugeTarget", fit("huge_target.csv"), {"huge_target.csv, line 3, column 2", "-1e+200", "at most 1e+150"}},
    {"EvaluateHugeTarget", {"evaluate", "single", "huge_target.csv"}, {"huge_target.csv, line 3", "at most 1e+150"}},
    {"FitDecimalComma",
     fit("comma.csv"),
     {"comma.csv, line 2, column 1", "'1,5' is not a number", "point", "--categorical"}},
    {"FitRowTakenForTheHeader", fit("twice.csv"), {"twice.csv, line 1", "'red' stands twice", "--no-header"}},
    {"FitBothPrecisions", rows({"--float32", "--float64"}), {"exclude each other"}},
    {"FitBeyondFloat32",
     fit("huge.csv", {"--float32", "--no-standardise", "--holdout", "0"}),
     {"huge.csv, line 3, column 1", "1e+100", "float32"}},
    {"FitClassesBeyondFloat32",
     fit("huge_classes.csv", {"--float32", "--no-standardise", "--holdout", "0", "--learner", "svc"}),
     {"huge_classes.csv, line 3, column 1", "float32"}},
    {"FitOtherTargetThanTheLabel", {"fit", "rows.svm", "--target", "2", "--model", "new"}, {"target is '2'", "label"}},
    {"FitLongHeader", fit("long.csv"), {"long.csv", "header of the model", "1048576", "categories"}},
    {"FitZeroThreads", rows({"--threads", "0"}), {"threads"}},
    {"FitDropUnknown", rows({"--drop", "a,z"}), {"unknown column 'z'"}},
    {"FitDropTarget", rows({"--drop", "y"}), {"the target"}},
    {"FitDropAll", rows({"--drop", "a,b,c"}), {"no column beside the target"}},
    {"FitCategoricalUnknown", rows({"--categorical", "z"}), {"unknown column 'z'"}},
    {"FitModelInMissingFolder", {"fit", "rows.csv", "--target", "y", "--model", "no/m"}, {"no/m", "does not exist"}},
    {"FitModelIsAFolder", {"fit", "rows.csv", "--target", "y", "--model", "folder"}, {"folder", "a directory"}},
    {"FitModelIsTheInput", {"fit", "rows.csv", "--target", "y", "--model", "./rows.csv"}, {"another file"}},
    {"FitMissingFile", fit("none.csv"), {"none.csv", "No such file"}},
    {"FitFolder", fit("folder"), {"folder", "no extension"}},
    {"FitEmpty", fit("empty.csv"), {"empty.csv", "is empty"}},
    {"FitHeaderOnly", fit("header.csv"), {"header.csv", "no rows"}},
    {"FitTargetAlone", fit("alone.csv"), {"alone.csv", "no column beside the target"}},
    {"FitMissingValue", fit("missing.csv"), {"missing.csv, line 3, column 1", "missing"}},
    {"FitMissingTarget", fit("no_target.csv", {"--impute"}), {"no_target.csv, line 3, column 2", "target is missing"}},
    {"FitTextInNumbers", fit("text.csv"), {"text.csv, line 3, column 1", "'x' is not a number"}},
    {"FitWordsByRegression", fit("classes.csv", {"--task", "regression"}), {"classes.csv", "column 4", "words"}},
    {"FitOneClass", fit("one_class.csv"), {"one_class.csv", "always 'u'", "two classes"}},
    {"FitBadSvm", {"fit", "bad.svm", "--model", "new"}, {"bad.svm, line 2", "index 0"}},
    {"FitGzipNamedCsv", fit("packed.csv"), {"packed.csv", "gzip", ".csv.gz"}},
    {"FitTruncatedGzip", fit("short.csv.gz"), {"short.csv.gz, byte 20", "ends inside"}},
    {"FitNanInNpy", {"fit", "nan.npy", "--target", "2", "--model", "new"}, {"nan.npy, byte 144", "row 1, column 0"}},

    {"PredictNothing", {"predict"}, {"no model", "predict --help"}},
    {"PredictNoInput", {"predict", "good"}, {"no input file"}},
    {"PredictMissingModel", {"predict", "none", "rows.csv"}, {"none", "No such file"}},
    {"PredictModelIsData", {"predict", "rows.csv", "rows.csv"}, {"rows.csv, byte 0", "not a model"}},
    {"PredictBrokenModel", {"predict", "broken", "rows.csv"}, {"broken, byte"}},
    {"PredictDamagedModel", {"predict", "damaged", "rows.csv"}, {"damaged, byte 8", "checksum"}},
    {"PredictFolderModel", {"predict", "folder", "rows.csv"}, {"folder", "a directory"}},
    {"PredictMissingColumn", {"predict", "good", "other.csv"}, {"other.csv", "no column 'c'"}},
    {"PredictUnknownWord", {"predict", "classes", "word.csv"}, {"word.csv, line 2, column 3", "'green'", "'blue'"}},
    {"FitBothHeaders", rows({"--header", "--no-header"}), {"--header and --no-header exclude each other"}},
    {"PredictFewColumns", {"predict", "good", "plain.csv", "--no-header"}, {"plain.csv", "2 columns", "expected 4"}},
    {"PredictMissingValue", {"predict", "good", "missing.csv"}, {"missing.csv", "no column 'b'"}},
    {"PredictIntoModel", {"predict", "good", "rows.csv", "--out", "good"}, {"good", "no extension"}},
    {"PredictIntoInput", {"predict", "good", "rows.csv", "--out", "rows.csv"}, {"another file"}},
    {"PredictUnknownExtension", {"predict", "good", "rows.csv", "--out", "p.txt"}, {"p.txt", "unknown extension"}},
    {"PredictIntoGzip", {"predict", "good", "rows.csv", "--out", "p.csv.gz"}, {"p.csv.gz", "'.gz'"}},
    {"PredictWordsIntoNpy", {"predict", "classes", "classes.csv", "--out", "p.npy"}, {"p.npy", "words"}},
    {"PredictScoresOfNumbers", {"predict", "good", "rows.csv", "--scores"}, {"--scores", "regression"}},
    {"PredictProbabilitiesOfNumbers", {"predict", "good", "rows.csv", "--probabilities"}, {"regression"}},
    {"PredictProbabilitiesOfRidge",
     {"predict", "classes", "classes.csv", "--probabilities"},
     {"--probabilities", "'ridge'", "logistic"}},
    {"PredictProbabilitiesOfSigns",
     {"predict", "sums", "classes.csv", "--probabilities"},
     {"--probabilities", "'trigonometric'", "positive map"}},
    {"PredictStdOfRidge", {"predict", "good", "rows.csv", "--std"}, {"--std", "'ridge'"}},
    {"PredictJsonWithoutOut", {"predict", "good", "rows.csv", "--json"}, {"--json", "--out"}},
    {"PredictBeyondFloat32", {"predict", "single", "huge.csv"}, {"huge.csv, line 3, column 1", "float32"}},
    {"PredictLittleMemory", {"predict", "good", "rows.csv", "--memory", "1M"}, {"--memory is '1M'", "good needs"}},
    {"PredictTextMemory", {"predict", "good", "rows.csv", "--memory", "x"}, {"--memory is 'x'", "1G"}},
    {"PredictThreads", {"predict", "good", "rows.csv", "--threads", "x"}, {"--threads is 'x'"}},

    {"EvaluateNothing", {"evaluate"}, {"no model"}},
    {"EvaluateNoTarget", {"evaluate", "good", "other.csv"}, {"other.csv", "no column"}},
    {"EvaluateNoRows", {"evaluate", "good", "header.csv"}, {"header.csv", "no column"}},
    {"EvaluateLittleMemory", {"evaluate", "good", "rows.csv", "--memory", "1M"}, {"--memory is '1M'", "at least"}},
    {"EvaluateUnknownOption", {"evaluate", "good", "rows.csv", "--out", "x"}, {"unknown option '--out'"}},
    {"EvaluateDamaged", {"evaluate", "damaged", "rows.csv"}, {"checksum"}},

    {"TransformModelWithMap",
     {"transform", "rows.csv", "--model", "good", "--out", "z.npy", "--map", "cosine"},
     {"--model has its own"}},
    {"TransformModelWithFloat32",
     {"transform", "rows.csv", "--model", "good", "--out", "z.npy", "--float32"},
     {"--model has its own"}},
    {"TransformModelSide", {"transform", "rows.csv", "--model", "good", "--out", "z.npy", "--side", "key"}, {"--side"}},
    {"TransformLittleMemory",
     {"transform", "rows.csv", "--model", "good", "--out", "z.npy", "--memory", "1M"},
     {"--memory is '1M'", "at least"}},
    {"TransformMemoryWithoutModel",
     {"transform", "rows.csv", "--out", "z.npy", "--memory", "1G"},
     {"--memory needs --model"}},
    {"TransformModelNoOut", {"transform", "rows.csv", "--model", "good"}, {"--out"}},
    {"TransformDamagedModel", {"transform", "rows.csv", "--model", "damaged", "--out", "z.npy"}, {"checksum"}},
    {"TransformModelMissing", {"transform", "rows.csv", "--model", "none", "--out", "z.npy"}, {"none", "No such"}},
    {"TransformModelColumns", {"transform", "other.csv", "--model", "good", "--out", "z.npy"}, {"no column 'c'"}},
};

class BadFit : public testing::TestWithParam<Case> {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    write_inputs(*folder_);
    before_ = new auto(test::contents(*folder_));
  }
  static void TearDownTestSuite() {
    delete folder_;
    delete before_;
  }

  static inline TemporaryFolder* folder_ = nullptr;
  static inline std::map<std::string, std::string>* before_ = nullptr;
};

TEST_P(BadFit, IsToldInOneLineAndWritesNothing) {
  test::expect_refused(*folder_, *before_, GetParam().arguments, GetParam().words);
}

INSTANTIATE_TEST_SUITE_P(Cases, BadFit, testing::ValuesIn(kCases),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace bochner
