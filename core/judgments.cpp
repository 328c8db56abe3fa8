// Building judgments: a stable grouping, and no document twice for a query.
#include "judgments.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "fault.hpp"
#include "rows_by_id.hpp"

namespace rankmark {
namespace {

void refuse_more_than_most(std::size_t judgments) {
  if (judgments >= Judgments::kUnjudged) {
    throw LimitFault({"more than four thousand million judgments", "evaluate them in parts"});
  }
}

}  // namespace

void JudgmentsBuilder::add(std::uint32_t query, std::string_view document, std::uint64_t hash, double label) {
  refuse_more_than_most(query_of_.size() + 1);
  IdSpan::check_length(document.size());
  query_of_.push_back(query);
  built_.spans_.emplace_back(built_.bytes_.size(), document.size());
  built_.bytes_.append(document);
  built_.labels_.push_back(label);
  hashes_.push_back(hash);
}

Judgments JudgmentsBuilder::finish() && {
  group_by_query();
  refuse_duplicates();
  return std::move(built_);
}

Judgments JudgmentsBuilder::of_rows(const JudgedRows& rows) {
  refuse_more_than_most(rows.queries.size());
  Judgments built;
  for (const std::string_view id : rows.query_ids) built.ids_.find_or_add(id);
  if (built.queries() != rows.query_ids.size()) throw std::invalid_argument("an id with two numbers");
  std::vector<IdSpan> spans;  // of the documents: a text that many queries share is kept once
  spans.reserve(rows.document_ids.size());
  for (const std::string_view id : rows.document_ids) {
    IdSpan::check_length(id.size());
    spans.emplace_back(built.bytes_.size(), id.size());
    built.bytes_.append(id);
  }
  std::vector<std::size_t> ends(rows.query_ids.size() + 1);  // first where each query's rows begin
  for (const std::uint32_t query : rows.queries) ++ends[query + std::size_t{1}];
  for (std::size_t query = 0; query + 1 < ends.size(); ++query) ends[query + 1] += ends[query];
  struct Row {
    std::uint32_t number, document;
  };
  std::vector<Row> by_query(rows.queries.size());
  for (std::uint32_t row = 0; row < by_query.size(); ++row) {
    by_query[ends[rows.queries[row]]++] = {row, rows.documents[row]};
  }

  std::vector<std::uint32_t> last_query(spans.size(), Judgments::kUnjudged);  // that has the document
  built.spans_.reserve(by_query.size());
  built.labels_.reserve(by_query.size());
  built.starts_.assign(1, 0);
  std::size_t place = 0;
  for (std::uint32_t query = 0; query < built.queries(); ++query) {
    for (; place < ends[query]; ++place) {
      const auto [row, document] = by_query[place];
      if (std::exchange(last_query[document], query) == query) continue;
      built.spans_.push_back(spans[document]);
      built.labels_.push_back(rows.labels.empty() ? 1.0 : rows.labels[row]);
    }
    built.starts_.push_back(static_cast<std::int64_t>(built.spans_.size()));
  }
  return built;
}

Judgments JudgmentsBuilder::of_held(std::span<const std::string_view> query_ids, HeldDocuments&& documents) {
  refuse_more_than_most(documents.ids.size());
  Judgments built;
  for (const std::string_view id : query_ids) built.ids_.find_or_add(id);
  if (built.queries() != query_ids.size()) throw std::invalid_argument("an id with two numbers");
  for (const std::string_view id : documents.ids) IdSpan::check_length(id.size());
  built.held_ = std::move(documents.ids);
  built.holder_ = std::move(documents.holder);
  built.labels_ = std::move(documents.labels);
  built.starts_ = std::move(documents.starts);
  return built;
}

void JudgmentsBuilder::group_by_query() {
  const std::size_t queries = built_.ids_.size();
  built_.starts_.assign(queries + 1, 0);
  for (const std::uint32_t query : query_of_) ++built_.starts_[query + 1];
  for (std::size_t q = 0; q < queries; ++q) built_.starts_[q + 1] += built_.starts_[q];
  if (std::is_sorted(query_of_.begin(), query_of_.end())) return;

  std::vector<std::int64_t> next(built_.starts_.begin(), built_.starts_.end() - 1);
  std::vector<IdSpan> spans(query_of_.size());
  std::vector<std::uint64_t> hashes(hashes_.size());
  std::vector<double> labels(query_of_.size());
  for (std::size_t row = 0; row < query_of_.size(); ++row) {
    const auto place = static_cast<std::size_t>(next[query_of_[row]]++);
    spans[place] = built_.spans_[row];
    hashes[place] = hashes_[row];
    labels[place] = built_.labels_[row];
  }
  built_.spans_ = std::move(spans);
  hashes_ = std::move(hashes);
  built_.labels_ = std::move(labels);
}

void JudgmentsBuilder::refuse_duplicates() const {
  RowsById rows;
  for (std::uint32_t q = 0; q < built_.queries(); ++q) {
    const auto first = static_cast<std::uint32_t>(built_.starts_[q]);
    const auto count = static_cast<std::size_t>(built_.starts_[q + 1] - built_.starts_[q]);
    const auto id = [&](std::size_t row) { return built_.document_id(first + static_cast<std::uint32_t>(row)); };
    const std::size_t repeated = rows.start(std::span(hashes_).subspan(first, count), 0, id);
    if (repeated < count) throw DuplicateFault(std::string(built_.query_id(q)), std::string(id(repeated)));
  }
}

}  // namespace rankmark
