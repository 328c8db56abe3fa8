// Arrays of labels and scores, taken as they lie.
#include "arrays.hpp"

#include "fingerprint.hpp"
#include "positions.hpp"
#include "segments.hpp"

namespace rankmark {
namespace {

void check_starts(const Input<std::int64_t>& starts, std::size_t rows) {
  if (!are_starts(span_of(starts), static_cast<std::int64_t>(rows))) {
    throw nb::value_error("starts must rise from 0 to the number of values");
  }
}

}  // namespace

nb::tuple align_rows(const Labels& labels, const Input<double>& scores, const Input<std::int64_t>& starts,
                     const std::optional<Input<std::int32_t>>& ids, const RankingOptions& ranking, int threads) {
  check_starts(starts, scores.size());
  return std::visit(
      [&](const auto& held) {
        if (scores.size() != held.size() || (ids && ids->size() != held.size())) {
          throw nb::value_error("labels, scores and ids must be equally long");
        }
        using Label = typename decltype(span_of(held))::value_type;
        const Positions<Label> positions{span_of(held), span_of(scores), span_of(starts),
                                         ids ? span_of(*ids) : std::span<const std::int32_t>()};
        AlignedColumns columns = [&] {
          const Unlocked unlocked;
          return align_positions(positions, ranking, threads, let_signals_through);
        }();
        return columns_tuple(std::move(columns));
      },
      labels);
}

nb::object align_numbered_rows(const Input<double>& labels, const Input<std::int64_t>& starts,
                               const std::optional<Input<std::int32_t>>& documents,
                               const Input<std::int64_t>& run_starts, const std::optional<Input<std::int64_t>>& ids,
                               const std::optional<Input<double>>& scores, const RankingOptions& ranking, int threads) {
  check_starts(starts, labels.size());
  if (!ids && !scores) throw nb::value_error("a run needs ids or scores");
  check_starts(run_starts, ids ? ids->size() : scores->size());
  if (starts.size() != run_starts.size() || (documents && documents->size() != labels.size()) ||
      (ids && scores && ids->size() != scores->size())) {
    throw nb::value_error("columns that belong together must be equally long");
  }
  const NumberedJudgments judgments{span_of(labels), span_of(starts),
                                    documents ? span_of(*documents) : std::span<const std::int32_t>()};
  const NumberedRun run{span_of(run_starts), ids ? span_of(*ids) : std::span<const std::int64_t>(),
                        scores ? span_of(*scores) : std::span<const double>()};
  std::optional<AlignedColumns> columns = [&] {
    const Unlocked unlocked;
    return align_numbered(judgments, run, ranking, threads, let_signals_through);
  }();
  return columns ? nb::object(columns_tuple(std::move(*columns))) : nb::none();
}

nb::tuple fingerprint_of(const Labels& values, bool finite, int threads) {
  const Fingerprint found = [&] {
    const Unlocked unlocked;
    return std::visit(
        [&](const auto& held) { return fingerprint(span_of(held), finite, threads, let_signals_through); }, values);
  }();
  return nb::make_tuple(found.value, found.bad);
}

bool convert_whole(const Input<std::int64_t>& whole, const Output<double>& doubles, int threads) {
  if (whole.size() != doubles.size()) throw nb::value_error("both arrays must be equally long");
  const Unlocked unlocked;
  return convert(span_of(whole), span_of(doubles), threads, let_signals_through);
}

nb::tuple sorted_rows(const Labels& labels, const Input<std::int64_t>& starts, double lowest, std::int64_t most,
                      int threads) {
  check_starts(starts, std::visit([](const auto& held) { return held.size(); }, labels));
  if (most < 1) throw nb::value_error("most must be at least 1");
  SortedLabels sorted = [&] {
    const Unlocked unlocked;
    return std::visit(
        [&](const auto& held) {
          return sort_labels(span_of(held), span_of(starts), lowest, most, threads, let_signals_through);
        },
        labels);
  }();
  return nb::make_tuple(to_array(std::move(sorted.starts)), to_array(std::move(sorted.labels)));
}

}  // namespace rankmark
