// Building judgments: a stable grouping, then one small open-addressing table a query.
#include "judgments.hpp"

#include <algorithm>
#include <stdexcept>

#include "fault.hpp"

namespace rankmark {

void JudgmentsBuilder::add(std::uint32_t query, std::string_view document, std::uint64_t hash, double label) {
  if (query_of_.size() == Judgments::kUnjudged - 1) {
    throw std::length_error("more than four thousand million judgments; evaluate them in parts");
  }
  IdSpan::check_length(document.size());
  query_of_.push_back(query);
  built_.spans_.emplace_back(built_.bytes_.size(), document.size());
  built_.bytes_.append(document);
  built_.hashes_.push_back(hash);
  built_.labels_.push_back(label);
}

Judgments JudgmentsBuilder::finish() && {
  group_by_query();
  index_documents();
  return std::move(built_);
}

void JudgmentsBuilder::group_by_query() {
  const std::size_t queries = built_.ids_.size();
  built_.starts_.assign(queries + 1, 0);
  for (const std::uint32_t query : query_of_) ++built_.starts_[query + 1];
  for (std::size_t q = 0; q < queries; ++q) built_.starts_[q + 1] += built_.starts_[q];
  if (std::is_sorted(query_of_.begin(), query_of_.end())) return;

  std::vector<std::int64_t> next(built_.starts_.begin(), built_.starts_.end() - 1);
  std::vector<IdSpan> spans(query_of_.size());
  std::vector<std::uint64_t> hashes(query_of_.size());
  std::vector<double> labels(query_of_.size());
  for (std::size_t row = 0; row < query_of_.size(); ++row) {
    const auto place = static_cast<std::size_t>(next[query_of_[row]]++);
    spans[place] = built_.spans_[row];
    hashes[place] = built_.hashes_[row];
    labels[place] = built_.labels_[row];
  }
  built_.spans_ = std::move(spans);
  built_.hashes_ = std::move(hashes);
  built_.labels_ = std::move(labels);
}

void JudgmentsBuilder::index_documents() {
  const std::uint32_t queries = built_.ids_.size();
  built_.lookups_.resize(queries);
  std::uint64_t total = 0;
  for (std::uint32_t q = 0; q < queries; ++q) {
    const auto count = static_cast<std::uint64_t>(built_.starts_[q + 1] - built_.starts_[q]);
    // At most a quarter full: nearly every document asked for is unjudged and should meet an empty slot.
    std::uint64_t size = 4;
    while (size < 4 * count) size *= 2;
    built_.lookups_[q] = {total, size - 1};
    total += size;
  }
  built_.slots_.assign(total, Judgments::kUnjudged);
  for (std::uint32_t q = 0; q < queries; ++q) {
    const auto [first, mask] = built_.lookups_[q];
    for (std::int64_t r = built_.starts_[q]; r < built_.starts_[q + 1]; ++r) {
      const auto row = static_cast<std::uint32_t>(r);
      std::uint64_t at = built_.hashes_[row] & mask;
      for (; built_.slots_[first + at] != Judgments::kUnjudged; at = (at + 1) & mask) {
        const std::uint32_t other = built_.slots_[first + at];
        if (built_.hashes_[other] == built_.hashes_[row] && built_.document_id(other) == built_.document_id(row)) {
          throw DuplicateFault(std::string(built_.query_id(q)), std::string(built_.document_id(row)));
        }
      }
      built_.slots_[first + at] = row;
    }
  }
}

}  // namespace rankmark
