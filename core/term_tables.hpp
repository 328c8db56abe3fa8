// Measures that are sums: the terms of documents are looked up, added, and divided by what is known of the query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ranking.hpp"

namespace rankmark {

// Terms by rank, which the measure's formula gave: each row has those of the ranks from 1.
struct TermTable {
  // A relevant document has the row of as many as were found before it, and others have none; without a lowest
  // relevant label, a document has the row of its label.
  std::optional<double> rel;
  std::vector<double> terms;
};

// The tables of several measures.
class TermTables {
 public:
  // `labels` rise; a table by label has a row for each, and one by documents found as many rows as ranks.
  TermTables(std::vector<double> labels, std::size_t ranks, std::vector<TermTable> tables)
      : labels_(std::move(labels)), ranks_(ranks), tables_(std::move(tables)) {}

  std::size_t size() const noexcept { return tables_.size(); }

  // Adds up the terms of one query's hits, first to last, for each table; false where a hit has no term.
  bool add_up(std::span<const Hit> hits, std::span<double> sums) const noexcept;

 private:
  bool add_up(const TermTable& table, std::span<const Hit> hits, double& sum) const noexcept;
  std::size_t row_of(double label) const noexcept;  // the number of labels where it is none of them

  std::vector<double> labels_;
  std::size_t ranks_;
  std::vector<TermTable> tables_;
};

// The divisors of each measure, by query and by the number of documents retrieved.
class KnownDivisors {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 16;

  // Forgets all others where there are too many.
  void learn(std::uint32_t query, std::int64_t retrieved, std::span<const double> divisors);

  // Nothing where they were not learned.
  std::span<const double> find(std::uint32_t query, std::int64_t retrieved) const noexcept;

 private:
  static std::uint64_t key(std::uint32_t query, std::int64_t retrieved) noexcept {
    return std::uint64_t{query} << 32 | static_cast<std::uint32_t>(retrieved);
  }

  std::unordered_map<std::uint64_t, std::vector<double>> known_;
};

}  // namespace rankmark
