// Plain loops.
#include "term_tables.hpp"

#include <algorithm>
#include <limits>

namespace rankmark {

std::size_t TermTables::row_of(double label) const noexcept {
  const auto at = std::lower_bound(labels_.begin(), labels_.end(), label);
  return at != labels_.end() && *at == label ? static_cast<std::size_t>(at - labels_.begin()) : labels_.size();
}

bool TermTables::add_up(std::span<const Hit> hits, std::span<double> sums) const noexcept {
  const auto is_deep = [this](const Hit& hit) { return static_cast<std::size_t>(hit.rank) > ranks_; };
  if (std::any_of(hits.begin(), hits.end(), is_deep)) return false;
  for (std::size_t one = 0; one < tables_.size(); ++one) {
    if (!add_up(tables_[one], hits, sums[one])) return false;
  }
  return true;
}

bool TermTables::add_up(const TermTable& table, std::span<const Hit> hits, double& sum) const noexcept {
  std::size_t found = 0;
  sum = 0;
  for (const Hit& hit : hits) {
    if (table.rel && hit.label < *table.rel) continue;
    const std::size_t row = table.rel ? found++ : row_of(hit.label);
    if (!table.rel && row == labels_.size()) return false;
    sum += table.terms[row * ranks_ + static_cast<std::size_t>(hit.rank) - 1];
  }
  return true;
}

void KnownDivisors::learn(std::uint32_t query, std::int64_t retrieved, std::span<const double> divisors) {
  if (retrieved > std::numeric_limits<std::uint32_t>::max()) return;  // a key has no more bits
  const std::uint64_t place = key(query, retrieved);
  if (known_.size() >= kMost && !known_.contains(place)) known_.clear();
  known_[place].assign(divisors.begin(), divisors.end());
}

std::span<const double> KnownDivisors::find(std::uint32_t query, std::int64_t retrieved) const noexcept {
  if (retrieved > std::numeric_limits<std::uint32_t>::max()) return {};
  const auto at = known_.find(key(query, retrieved));
  return at == known_.end() ? std::span<const double>() : std::span<const double>(at->second);
}

}  // namespace rankmark
