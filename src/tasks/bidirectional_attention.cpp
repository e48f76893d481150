// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <memory>
#include <vector>

#include "core/parallel.h"
#include "tasks/attention_diagnostics.h"
#include "tasks/attention_problem.h"

namespace bochner {
namespace {

/// Rows of one job: chunks enough to hide what a job costs beside them, few enough to keep threads busy with one head.
constexpr std::size_t kRowsPerJob = 16 * kChunk;

std::size_t jobs(std::size_t length) { return std::max<std::size_t>(1, (length + kRowsPerJob - 1) / kRowsPerJob); }

/// `use(first, last)` for the chunks of rows of a job.
template <class Use>
void for_each_chunk(std::size_t job, std::size_t length, const Use& use) {
  const std::size_t end = std::min((job + 1) * kRowsPerJob, length);
  for (std::size_t first = job * kRowsPerJob; first < end; first += kChunk) use(first, std::min(first + kChunk, end));
}

template <class T>
KeySums<T> sums_of_keys(const AttentionProblem<T>& problem, const HeadFeatures& head, std::size_t b, std::size_t h,
                        std::size_t job) {
  KeySums<T> sums(problem.sizes, head);
  KeyChunk<T> chunk(problem.sizes, problem.k.length, problem.k.dim);
  const MatrixView<const T> k = problem.k.head(b, h), v = problem.v.head(b, h);
  for_each_chunk(job, problem.k.length, [&](std::size_t first, std::size_t last) {
    chunk.load(head, k.row_range(first, last), v.row_range(first, last), problem.kept(b, first, last),
               {"k", b, h, first}, problem.largest);
    chunk.add_to(sums, {});
    sums.settle();
  });
  return sums;
}

/// Results of a job of queries; returns the number of undefined rows.
template <class T>
std::size_t answer(const AttentionProblem<T>& problem, const HeadFeatures& head, const KeySums<T>& sums, std::size_t b,
                   std::size_t h, std::size_t job, AttentionReport& report) {
  QueryChunk<T> chunk(problem.sizes, problem.q.length, false);
  const MatrixView<const T> q = problem.q.head(b, h);
  const std::vector<double> mass(sums.total_mass().begin(), sums.total_mass().end());
  std::size_t undefined = 0;
  for_each_chunk(job, problem.q.length, [&](std::size_t first, std::size_t last) {
    chunk.load(head, q.row_range(first, last), {"q", b, h, first}, problem.largest);
    undefined += chunk.attend(sums, 0, last - first, nullptr, problem.out.head(b, h).row_range(first, last));
    for (std::size_t i = first; i < last && !report.effective_features.empty(); ++i) {
      const TermStatistics found = term_statistics<T>(chunk.features(i - first), mass, head.features->m());
      const std::size_t row = (b * problem.q.heads + h) * problem.q.length + i;
      report.effective_features[row] = found.effective;
      report.relative_error[row] = found.relative_error;
    }
  });
  return undefined;
}

}  // namespace

template <class T>
AttentionReport bidirectional_attention(const AttentionProblem<T>& problem, const AttentionFeatures& features,
                                        bool diagnostics) {
  const std::size_t key_jobs = jobs(problem.k.length), query_jobs = jobs(problem.q.length);
  const std::size_t heads = problem.key_heads();
  const std::vector<HeadFeatures> of_head = features_of_heads(problem, features);
  std::vector<std::unique_ptr<KeySums<T>>> sums(heads * key_jobs);
  parallel_for(sums.size(), 1, [&](std::size_t i, std::size_t) {
    const std::size_t head = i / key_jobs;
    sums[i] = std::make_unique<KeySums<T>>(
        sums_of_keys(problem, of_head[head], head / problem.k.heads, head % problem.k.heads, i % key_jobs));
  });
  parallel_for(heads, 1, [&](std::size_t head, std::size_t) {
    KeySums<T>& all = *sums[head * key_jobs];
    for (std::size_t job = 1; job < key_jobs; ++job) {
      all.merge(*sums[head * key_jobs + job]);
      sums[head * key_jobs + job].reset();
    }
    all.prepare();
  });
  AttentionReport report;
  if (diagnostics) {
    report.effective_features.resize(problem.q.batch * problem.q.heads * problem.q.length);
    report.relative_error.resize(report.effective_features.size());
  }
  std::atomic<std::size_t> undefined = 0;
  parallel_for(problem.q.batch * problem.q.heads * query_jobs, 1, [&](std::size_t i, std::size_t) {
    const std::size_t b = i / query_jobs / problem.q.heads, h = i / query_jobs % problem.q.heads;
    const std::size_t head = b * problem.k.heads + h / problem.group();
    undefined += answer(problem, of_head[head], *sums[head * key_jobs], b, h, i % query_jobs, report);
  });
  report.undefined_rows = undefined;
  for (const HeadFeatures& head : of_head)
    if (head.A) report.A.push_back(*head.A);
  return report;
}

template AttentionReport bidirectional_attention(const AttentionProblem<float>&, const AttentionFeatures&, bool);
template AttentionReport bidirectional_attention(const AttentionProblem<double>&, const AttentionFeatures&, bool);

}  // namespace bochner
