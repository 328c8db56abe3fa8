// Tables become parts: queries that are whole within one are ranked there, those at its ends are copied.
#include "batched_run.hpp"

#include <string>
#include <string_view>

#include "fault.hpp"
#include "ids.hpp"

namespace rankmark {
namespace {

// The segments of a table, whose queries are numbered in order of appearance.
struct NumberedSegments {
  std::vector<Segment> all;
  std::vector<std::uint32_t> of_query;  // how many segments each query has
  IdTable queries;

  explicit NumberedSegments(const IdColumn& column) {
    IdSegments found;
    found.find(column, 0, column.rows());
    all.reserve(found.size());
    found.each(column, [&](std::string_view id, std::int64_t first, std::int64_t end) {
      const std::uint32_t query = queries.find_or_add(id);
      if (query == of_query.size()) of_query.push_back(0);
      ++of_query[query];
      all.push_back({first, end - first, query});
    });
  }
};

// Meaningless where rows come best first.
void append_scores(const CheckedColumns& columns, const Segment& segment, std::vector<double>& scores) {
  if (columns.number) {
    columns.append_scores(segment.first, segment.first + segment.rows, scores);
  } else {
    scores.resize(scores.size() + static_cast<std::size_t>(segment.rows));
  }
}

// The rows of a segment, in memory of its own.
KeptSegment copied(const CheckedColumns& columns, const Segment& segment, std::string_view query) {
  KeptSegment kept;
  kept.query_id = query;
  append_scores(columns, segment, kept.scores);
  Ids ids(static_cast<std::size_t>(segment.rows));
  ids.append(columns.document, segment.first, segment.first + segment.rows);
  kept.documents.reserve(ids.texts().size());
  for (const std::string_view id : ids.texts()) {
    IdSpan::check_length(id.size());
    kept.documents.emplace_back(kept.text.size(), id.size());
    kept.text += id;
  }
  return kept;
}

}  // namespace

BatchedRun::BatchedRun(const Judgments& judgments, const RankingOptions& ranking, bool has_number, bool by_rank)
    : judgments_(judgments),
      ranking_(has_number && !by_rank ? ranking : ranking.of_ranks()),
      target_(judgments_, ranking_),
      merger_(target_, has_number, false),
      gathered_(ranking.memory) {}

BatchedRun::Part BatchedRun::part(const Table& table, const ChosenColumns& chosen) const {
  Part part;
  try {
    const CheckedColumns columns(table, chosen);
    if (columns.number && !ranking_.single) check_exact(*columns.number, false);
    const NumberedSegments segments(columns.query);
    part.counts.rows = table.rows;
    TableRanker rank(columns, judgments_, ranking_);
    std::vector<std::uint8_t> noted(segments.queries.size());
    for (const Segment& segment : segments.all) {
      const std::string_view id = segments.queries[segment.query];
      if (&segment == &segments.all.front() || &segment == &segments.all.back()) {
        part.open.push_back(copied(columns, segment, id));
        continue;
      }
      const std::uint32_t query = judgments_.find_query(id);
      const std::size_t before = part.rows.size();
      QueryCounts counts;
      if (segments.of_query[segment.query] == 1) {
        counts = rank.rank(query, id, {&segment, 1}, part.rows);
      } else if (noted[segment.query] == 2) {
        continue;
      } else {
        ++noted[segment.query];  // put twice, it is known to come back, and will be gathered
      }
      part.ranked.push_back({std::string(id), {query, counts}, part.rows.size() - before});
    }
  } catch (...) {
    part.fault = std::current_exception();
  }
  return part;
}

void BatchedRun::gather(const Table& table, const ChosenColumns& chosen) {
  const CheckedColumns columns(table, chosen);
  const IdTable& wanted = merger_.interleaved();
  const NumberedSegments segments(columns.query);
  std::vector<std::uint32_t> numbers;
  numbers.reserve(segments.queries.size());
  for (std::uint32_t query = 0; query < segments.queries.size(); ++query) {
    numbers.push_back(wanted.find(segments.queries[query]));
  }
  std::vector<double> scores;
  Ids ids(1024);
  for (const Segment& segment : segments.all) {
    const std::uint32_t number = numbers[segment.query];
    if (number == IdTable::kAbsent) continue;
    scores.clear();
    append_scores(columns, segment, scores);
    ids.start();
    ids.append(columns.document, segment.first, segment.first + segment.rows);
    gathered_.add(number, scores, [&](std::size_t row) { return ids.texts()[row]; });
  }
}

AlignedRun BatchedRun::finish(const Poll& poll) {
  const IdTable& wanted = merger_.interleaved();
  std::uint32_t found = 0;
  gathered_.hand_out(
      [&](std::uint32_t query, std::span<const std::string_view> ids, std::span<const double> scores) {
        ++found;
        merger_.replace(wanted[query], ids, scores);
      },
      poll);
  if (found < wanted.size()) {
    throw FileFault({"it changed while it was read", "evaluate it when nothing writes to it"});
  }
  return target_.finish(merger_.counts().rows, 0, wanted.size());
}

}  // namespace rankmark
