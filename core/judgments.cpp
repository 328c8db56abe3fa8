// Building judgments: a stable grouping, and no document twice for a query.
#include "judgments.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "fault.hpp"
#include "rows_by_id.hpp"

namespace rankmark {

void JudgmentsBuilder::add(std::uint32_t query, std::string_view document, std::uint64_t hash, double label) {
  add(query, document, label);
  hashes_.push_back(hash);
}

void JudgmentsBuilder::reserve(std::size_t documents) {
  query_of_.reserve(documents);
  built_.spans_.reserve(documents);
  built_.labels_.reserve(documents);
  built_.bytes_.reserve(8 * documents);  // about as long as ids are
}

void JudgmentsBuilder::add(std::uint32_t query, std::string_view document, double label) {
  if (query_of_.size() == Judgments::kUnjudged - 1) {
    throw LimitFault({"more than four thousand million judgments", "evaluate them in parts"});
  }
  IdSpan::check_length(document.size());
  query_of_.push_back(query);
  built_.spans_.emplace_back(built_.bytes_.size(), document.size());
  built_.bytes_.append(document);
  built_.labels_.push_back(label);
}

Judgments JudgmentsBuilder::finish() && {
  group_by_query();
  refuse_duplicates();
  return std::move(built_);
}

Judgments JudgmentsBuilder::of_pairs(const IdTable& queries, std::span<const std::uint32_t> query_of,
                                     const IdTable& documents, std::span<const std::uint32_t> document_of) {
  Judgments built;
  built.ids_ = queries;
  std::vector<IdSpan> spans;  // of the documents: a text that many queries share is kept once
  spans.reserve(documents.size());
  for (std::uint32_t document = 0; document < documents.size(); ++document) {
    IdSpan::check_length(documents[document].size());
    spans.emplace_back(built.bytes_.size(), documents[document].size());
    built.bytes_.append(documents[document]);
  }
  std::vector<std::size_t> ends(queries.size() + std::size_t{1});  // first where each query's rows begin
  for (const std::uint32_t query : query_of) ++ends[query + std::size_t{1}];
  for (std::size_t query = 0; query < queries.size(); ++query) ends[query + 1] += ends[query];
  std::vector<std::uint32_t> by_query(query_of.size());
  for (std::size_t row = 0; row < query_of.size(); ++row) by_query[ends[query_of[row]]++] = document_of[row];

  std::vector<std::uint32_t> last_query(documents.size(), Judgments::kUnjudged);  // that has the document
  built.spans_.reserve(by_query.size());
  built.starts_.assign(1, 0);
  std::size_t row = 0;
  for (std::uint32_t query = 0; query < queries.size(); ++query) {
    for (; row < ends[query]; ++row) {
      if (std::exchange(last_query[by_query[row]], query) != query) built.spans_.push_back(spans[by_query[row]]);
    }
    built.starts_.push_back(static_cast<std::int64_t>(built.spans_.size()));
  }
  built.labels_.assign(built.spans_.size(), 1.0);
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
    if (!hashes.empty()) hashes[place] = hashes_[row];
    labels[place] = built_.labels_[row];
  }
  built_.spans_ = std::move(spans);
  hashes_ = std::move(hashes);
  built_.labels_ = std::move(labels);
}

void JudgmentsBuilder::refuse_duplicates() const {
  if (hashes_.empty()) return;
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
