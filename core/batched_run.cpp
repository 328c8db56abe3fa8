// Tables become parts: queries that are whole within one are ranked there, those at its ends are copied.
#include "batched_run.hpp"

#include <string>
#include <string_view>

#include "fault.hpp"
#include "ids.hpp"
#include "table_ranker.hpp"

namespace rankmark {
namespace {

// The stretches of a table, whose queries are numbered in order of appearance.
struct NumberedStretches {
  std::vector<Stretch> all;
  std::vector<std::uint32_t> of_query;  // how many stretches each query has
  IdTable queries;

  explicit NumberedStretches(const IdColumn& column) {
    IdStretches found;
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
void append_scores(const CheckedColumns& columns, const Stretch& stretch, std::vector<double>& scores) {
  if (columns.number) {
    columns.append_scores(stretch.first, stretch.first + stretch.rows, scores);
  } else {
    scores.resize(scores.size() + static_cast<std::size_t>(stretch.rows));
  }
}

// The rows of a stretch, in memory of its own.
Segment copied(const CheckedColumns& columns, const Stretch& stretch, std::string_view query) {
  Segment segment;
  segment.query_id = query;
  append_scores(columns, stretch, segment.scores);
  Ids ids(static_cast<std::size_t>(stretch.rows));
  ids.append(columns.document, stretch.first, stretch.first + stretch.rows);
  segment.documents.reserve(ids.texts().size());
  for (const std::string_view id : ids.texts()) {
    IdSpan::check_length(id.size());
    segment.documents.emplace_back(segment.text.size(), id.size());
    segment.text += id;
  }
  return segment;
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
    const NumberedStretches stretches(columns.query);
    part.counts.rows = table.rows;
    TableRanker rank(columns, judgments_, ranking_);
    std::vector<std::uint8_t> noted(stretches.queries.size());
    for (const Stretch& stretch : stretches.all) {
      const std::string_view id = stretches.queries[stretch.query];
      if (&stretch == &stretches.all.front() || &stretch == &stretches.all.back()) {
        part.open.push_back(copied(columns, stretch, id));
        continue;
      }
      const std::uint32_t query = judgments_.find_query(id);
      const std::size_t before = part.rows.size();
      QueryCounts counts;
      if (stretches.of_query[stretch.query] == 1) {
        counts = rank.rank(query, id, {&stretch, 1}, part.rows);
      } else if (noted[stretch.query] == 2) {
        continue;
      } else {
        ++noted[stretch.query];  // put twice, it is known to come back, and will be gathered
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
  const NumberedStretches stretches(columns.query);
  std::vector<std::uint32_t> numbers;
  numbers.reserve(stretches.queries.size());
  for (std::uint32_t query = 0; query < stretches.queries.size(); ++query) {
    numbers.push_back(wanted.find(stretches.queries[query]));
  }
  std::vector<double> scores;
  Ids ids(1024);
  for (const Stretch& stretch : stretches.all) {
    const std::uint32_t number = numbers[stretch.query];
    if (number == IdTable::kAbsent) continue;
    scores.clear();
    append_scores(columns, stretch, scores);
    ids.start();
    ids.append(columns.document, stretch.first, stretch.first + stretch.rows);
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
