// Finding the documents of one set of judgments in another, query by query, and distinct pairs by sorting numbers.
#include "judgment_pairs.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>

#include "ids.hpp"
#include "rows_by_id.hpp"
#include "shared_queries.hpp"

namespace rankmark {
namespace {

// The rows of one query.
struct Part {
  const Judgments& of;
  std::uint32_t first, end;

  static Part of_query(const Judgments& of, std::uint32_t query) {
    return {of, static_cast<std::uint32_t>(of.starts()[query]),
            static_cast<std::uint32_t>(of.starts()[query + std::size_t{1}])};
  }
  std::size_t size() const noexcept { return end - first; }
  std::string_view id(std::size_t row) const noexcept {
    return of.document_id(first + static_cast<std::uint32_t>(row));
  }
};

}  // namespace

std::vector<std::int64_t> rows_in(const Judgments& a, const Judgments& b, int threads, const Poll& poll) {
  std::vector<std::int64_t> at(a.labels().size(), -1);
  share_out_queries(a.queries(), threads, poll, [&] {
    return [&, hashes = std::vector<std::uint64_t>(), rows = RowsById()](std::uint32_t q) mutable {
      const std::uint32_t there = b.find_query(a.query_id(q));
      if (there == Judgments::kUnjudged) return;
      const Part of_a = Part::of_query(a, q), of_b = Part::of_query(b, there);
      std::int64_t* const found = at.data() + of_a.first;
      // Often both have the same documents in the same order, and then no table is needed.
      std::size_t row = 0;
      for (; row < of_a.size() && row < of_b.size() && of_a.id(row) == of_b.id(row); ++row) {
        found[row] = static_cast<std::int64_t>(of_b.first + row);
      }
      if (row == of_a.size() || row == of_b.size()) return;
      // What was found already is not asked for again, so the table holds only the rest.
      const std::size_t begin = row;
      hashes.clear();
      for (std::size_t other = begin; other < of_b.size(); ++other) hashes.push_back(hash_id(of_b.id(other)));
      const auto id_of = [&](std::size_t other) { return of_b.id(begin + other); };
      rows.start(hashes, of_a.size() - begin, id_of);  // none is repeated
      for (; row < of_a.size(); ++row) {
        const std::string_view id = of_a.id(row);
        const std::size_t other = rows.find(id, hash_id(id), id_of);
        if (other < hashes.size()) found[row] = static_cast<std::int64_t>(of_b.first + begin + other);
      }
    };
  });
  return at;
}

Distinct distinct_pairs(std::span<const std::uint32_t> first, std::span<const std::uint32_t> second, std::size_t firsts,
                        std::size_t seconds) {
  // In the order of the second numbers, so that what each first number meets rises, and equal pairs follow each other.
  std::vector<std::size_t> ends(seconds + 1);
  for (const std::uint32_t number : second) ++ends[number + std::size_t{1}];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::uint32_t> ordered(first.size());
  for (std::size_t row = 0; row < first.size(); ++row) ordered[ends[second[row]]++] = first[row];

  constexpr std::uint32_t kNone = 0xffffffff;
  std::vector<std::uint32_t> last(firsts);
  const auto each_distinct = [&](const auto& use) {
    std::fill(last.begin(), last.end(), kNone);
    std::size_t row = 0;
    for (std::uint32_t number = 0; number < seconds; ++number) {
      for (; row < ends[number]; ++row) {
        if (std::exchange(last[ordered[row]], number) != number) use(ordered[row], number);
      }
    }
  };
  Distinct found;
  found.starts.assign(firsts + 1, 0);
  each_distinct([&](std::uint32_t one, std::uint32_t) { ++found.starts[one + std::size_t{1}]; });
  std::partial_sum(found.starts.begin(), found.starts.end(), found.starts.begin());
  std::vector<std::int64_t> next(found.starts.begin(), found.starts.end() - 1);
  found.second.resize(static_cast<std::size_t>(found.starts.back()));
  each_distinct(
      [&](std::uint32_t one, std::uint32_t number) { found.second[static_cast<std::size_t>(next[one]++)] = number; });
  return found;
}

}  // namespace rankmark
