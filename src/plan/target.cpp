// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

#include "core/errors.h"
#include "core/format.h"
#include "plan/planner.h"

namespace bochner {
namespace {

constexpr std::size_t kSearched = 8;  // candidates listed with the outputs that they need, even if others need fewer
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_measured(const Candidate& candidate) { return candidate.exactness == theory::Exactness::none; }

/// The least number with four digits that is not below `error`.
std::string rounded_up(double error) {
  const double step = std::pow(10.0, std::floor(std::log10(error)) - 3);
  return fmt::format("{:.4g}", std::ceil(error / step) * step);
}

class TargetSearch {
 public:
  explicit TargetSearch(const Planner& planner) : planner_(planner), target_(planner.request().target) {}

  std::vector<Looked> searched(std::vector<Looked> table) {
    std::ranges::stable_sort(table, {}, [&](const Looked& looked) { return needed(looked.candidate, 2); });
    std::vector<Mechanism> first;
    std::vector<Looked> others;
    for (Looked& looked : table)
      if (!is_measured(looked.candidate) && first.size() < kSearched)
        first.push_back(looked.mechanism);
      else
        others.push_back(std::move(looked));
    std::vector<Looked> met = looked_at(
        first, [this](const Mechanism& mechanism) { return fewest(mechanism, planner_.directions(mechanism)); });
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const Looked& looked : met) least = std::min(least, looked.candidate.outputs);
    std::vector<Mechanism> rivals;
    for (const Looked& looked : others)
      if (met.empty() || needed(looked.candidate, 1) < static_cast<double>(least)) rivals.push_back(looked.mechanism);
    std::ranges::move(looked_at(rivals, [&](const Mechanism& rival) { return below(rival, least); }),
                      std::back_inserter(met));
    return met;
  }

  /// The least error that the search found, and the limit that stopped it there.
  std::string reached(double memory) const {
    return rounded_up(reached_) + (limit_ == Limit::draws
                                       ? std::string(": the best error that draws of W can tell")
                                       : fmt::format(": the best error within {:.3g} GiB of memory", memory / 0x1p30));
  }

 private:
  /// Outputs needed for the target if the error falls as m^(-1/power). It falls at least as fast as m^(-1/2); for
  /// points of low discrepancy and padded blocks at most about as fast as 1/m.
  double needed(const Candidate& candidate, double power) const {
    const double ratio = rank_of(candidate) / target_;
    return static_cast<double>(candidate.outputs) * std::pow(ratio, ratio > 1 ? power : 2);
  }

  bool meets(const std::optional<Candidate>& candidate) const { return candidate && rank_of(*candidate) <= target_; }

  std::optional<Candidate> seen(const Mechanism& mechanism, std::size_t m) const {
    return planner_.with_directions(mechanism, m, Care::glance);
  }

  /// Whether all of W must be small enough to be drawn; for a coupling that was asked for, a part of W is enough.
  bool drawn(bool measured) const { return measured && planner_.request().coupling == "auto"; }

  /// The most directions that memory holds and whose error can be found, to half a percent.
  std::size_t most(const Mechanism& mechanism, bool measured) const {
    const auto fits = [&](std::size_t m) {
      const auto chosen = planner_.made(mechanism, m);
      return chosen && planner_.within_memory(*chosen) && planner_.allowed(*chosen) &&
             (!drawn(measured) || m <= Predictor::most_measured(space_of(chosen->spec)));
    };
    return most_directions(planner_.directions(mechanism), fits);
  }

  /// The most directions, if they meet the target. Their number does not depend on the target, so that a glance, too,
  /// is no lucky draw, and the error that a refusal names is within reach.
  std::optional<Candidate> last(const Mechanism& mechanism, bool measured) {
    std::optional<Candidate> candidate = seen(mechanism, most(mechanism, measured));
    const std::lock_guard lock(mutex_);
    if (candidate && rank_of(*candidate) < reached_) {
      reached_ = rank_of(*candidate);
      const std::size_t m = candidate->spec.m, most_drawn = Predictor::most_measured(space_of(candidate->spec));
      limit_ = drawn(measured) && m + m / 100 >= most_drawn ? Limit::draws : Limit::memory;
    }
    return meets(candidate) ? candidate : std::nullopt;
  }

  /// The fewest directions that meet the target, from a first guess; empty if memory ends before. The error falls about
  /// as fast as 1/sqrt(m), so a few steps bracket the number.
  std::optional<Candidate> fewest(const Mechanism& mechanism, std::size_t guess) {
    std::size_t low = 0;
    std::optional<Candidate> high = seen(mechanism, guess);
    while (high && !meets(high)) {
      low = high->spec.m;
      const bool measured = is_measured(*high);
      const double ratio = rank_of(*high) / target_;
      const double next = std::ceil(static_cast<double>(low) * std::max(1.02, ratio * ratio));
      high = next < 0x1p53 ? seen(mechanism, static_cast<std::size_t>(next)) : std::nullopt;
      if (high) continue;
      high = last(mechanism, measured);
      if (!high || high->spec.m <= low) return high;
    }
    return high ? narrowed(mechanism, low, std::move(*high)) : high;
  }

  /// Searches between too few directions and enough.
  std::optional<Candidate> narrowed(const Mechanism& mechanism, std::size_t low, Candidate high) {
    const std::size_t part = is_measured(high) ? 50 : 200;
    for (int step = 1; high.spec.m - low > std::max<std::size_t>(1, low / part); ++step) {
      const std::size_t m = step % 3 == 0 ? low + (high.spec.m - low) / 2 : between(low, high, part);
      std::optional<Candidate> middle = seen(mechanism, m);
      if (meets(middle))
        high = std::move(*middle);
      else
        low = m;
    }
    return is_measured(high) ? confirmed(mechanism, high) : high;
  }

  /// Where an error that falls as 1/sqrt(m) would meet the target; just below the upper end if that is the point.
  std::size_t between(std::size_t low, const Candidate& high, std::size_t part) const {
    const double m = static_cast<double>(high.spec.m), ratio = rank_of(high) / target_;
    const double slack = 0.5 / static_cast<double>(part);
    double guess = std::ceil(m * ratio * ratio * (1 + slack));
    if (guess > (1 - slack) * m) guess = std::floor(m * (1 - 2 * slack));
    return std::clamp(static_cast<std::size_t>(guess), low + 1, high.spec.m - 1);
  }

  /// Measures with care an error that met the target at a glance: takes more directions where it does not hold, fewer
  /// where there is room.
  std::optional<Candidate> confirmed(const Mechanism& mechanism, const Candidate& met) {
    constexpr int kMostSteps = 6;
    std::size_t m = met.spec.m, low = 0;
    std::optional<Candidate> enough;
    for (int step = 0; step < kMostSteps; ++step) {
      const auto found = planner_.with_directions(mechanism, m, Care::full);
      if (!found) break;
      const double now = static_cast<double>(m), ratio = rank_of(*found) / target_, needed = now * ratio * ratio;
      if (meets(found)) {
        enough = found;
        m = static_cast<std::size_t>(std::ceil(needed));
        if (m <= low || needed > 0.98 * now) break;
      } else {
        low = m;
        m = static_cast<std::size_t>(std::ceil(std::max(1.02 * now, needed)));
        if (enough && m >= enough->spec.m) break;
      }
    }
    return enough ? enough : last(mechanism, true);
  }

  /// The fewest directions, if they have fewer than `outputs` outputs: one look at the largest such number decides.
  std::optional<Candidate> below(const Mechanism& mechanism, std::size_t outputs) {
    if (outputs == std::numeric_limits<std::size_t>::max()) return fewest(mechanism, planner_.directions(mechanism));
    const auto one = planner_.made(mechanism, 1);
    std::size_t m = (outputs - 1) / one->map.width(one->spec.parameters);
    std::optional<Candidate> high = m == 0 ? std::nullopt : seen(mechanism, m);
    if (!high && planner_.request().coupling == "auto") {  // all of W is too large to be drawn
      m = std::min(m, Predictor::most_measured(space_of(one->spec)));
      high = m == 0 ? std::nullopt : seen(mechanism, m);
    }
    if (!meets(high)) return std::nullopt;
    const auto found = narrowed(mechanism, 0, std::move(*high));
    return found && found->outputs < outputs ? found : std::nullopt;
  }

  const Planner& planner_;
  double target_;
  std::mutex mutex_;
  double reached_ = kInfinity;
  enum class Limit { memory, draws } limit_ = Limit::memory;
};

}  // namespace

std::vector<Looked> fewest_outputs(const Planner& planner, std::vector<Looked> table) {
  TargetSearch search(planner);
  std::vector<Looked> met = search.searched(std::move(table));
  if (met.empty())
    refuse("target", fmt::format("{:.4g}", planner.request().target), "at least " + search.reached(planner.memory()));
  std::ranges::stable_sort(met, {}, [](const Looked& looked) {
    return std::pair(looked.candidate.outputs, fitted_parameters(looked.candidate));
  });
  return met;
}

}  // namespace bochner
