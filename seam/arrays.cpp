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

nb::tuple align_rows(const std::optional<Labels>& labels, const Input<double>& scores,
                     const Input<std::int64_t>& starts, const std::optional<Input<std::int32_t>>& ids,
                     const RankingOptions& ranking, int threads) {
  check_starts(starts, scores.size());
  const auto own_size = labels ? std::visit([](const auto& held) { return held.size(); }, *labels) : scores.size();
  if (scores.size() != own_size || (ids && ids->size() != own_size)) {
    throw nb::value_error("labels, scores and ids must be equally long");
  }
  const auto aligned = [&]<class Label>(std::span<const Label> held) {
    const Positions<Label> positions{held, span_of(scores), span_of(starts),
                                     ids ? span_of(*ids) : std::span<const std::int32_t>()};
    AlignedColumns columns = [&] {
      const Unlocked unlocked;
      return align_positions(positions, ranking, threads, let_signals_through);
    }();
    return columns_tuple(std::move(columns));
  };
  if (!labels) return aligned(std::span<const Unlabelled>());
  return std::visit([&](const auto& held) { return aligned(span_of(held)); }, *labels);
}

nb::object align_numbered_rows(const Input<double>& labels, const Input<std::int64_t>& starts,
                               const std::optional<Input<std::int32_t>>& documents,
                               const Input<std::int64_t>& run_starts, const std::optional<NumberedIds>& ids,
                               const std::optional<Input<double>>& scores, const RankingOptions& ranking, int threads,
                               const std::optional<Input<std::int64_t>>& own) {
  check_starts(starts, labels.size());
  if (!ids && !scores) throw nb::value_error("a run needs ids or scores");
  const auto rows = ids ? std::visit([](const auto& held) { return held.size(); }, *ids) : scores->size();
  check_starts(run_starts, rows);
  if (starts.size() != run_starts.size() || (documents && documents->size() != labels.size()) ||
      (scores && scores->size() != rows) || (own && own->size() + 1 != starts.size())) {
    throw nb::value_error("columns that belong together must be equally long");
  }
  const NumberedJudgments judgments{span_of(labels), span_of(starts),
                                    documents ? span_of(*documents) : std::span<const std::int32_t>()};
  const auto aligned = [&]<class Id>(std::span<const Id> held) {
    const NumberedRun<Id> run{span_of(run_starts), held, scores ? span_of(*scores) : std::span<const double>(),
                              own ? span_of(*own) : std::span<const std::int64_t>()};
    const Unlocked unlocked;
    return align_numbered(judgments, run, ranking, threads, let_signals_through);
  };
  std::optional<AlignedColumns> columns =
      ids ? std::visit([&](const auto& held) { return aligned(span_of(held)); }, *ids)
          : aligned(std::span<const std::int64_t>());
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
