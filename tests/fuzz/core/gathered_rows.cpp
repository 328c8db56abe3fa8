// Rows of interleaved queries, held in memory up to a bound and beyond it in temporary files: as they were put in.
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fault.hpp"
#include "gathered_segments.hpp"
#include "input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr std::uint64_t kMemory[] = {0, 1, 600, 2000, 9000, 40000, 1 << 20, ~std::uint64_t{0}};
  static constexpr std::uint32_t kSpread[] = {1, 1, 63, 64, 4097, 262'147, 16'777'259};
  fuzz::Input input(data, size);
  rankmark::GatheredSegments gathered(kMemory[input.below(8)]);
  const std::uint32_t spread = kSpread[input.below(7)];
  const std::uint32_t faulty = input.byte();
  std::map<std::uint32_t, std::vector<std::pair<std::string, double>>> expected;
  std::vector<std::string> ids;
  std::vector<double> scores;
  while (input.left() > 0) {
    const std::uint32_t query = input.byte() * spread;
    const std::size_t rows = 1 + input.below(9), longer = input.byte();
    ids.clear();
    scores.clear();
    for (std::size_t row = 0; row < rows; ++row) {
      std::string id(input.take(input.below(24)));
      if (row == 0 && longer >= 240) id.append((longer - 239) * 150, 'x');  // longer than a chunk
      ids.push_back(std::move(id));
      scores.push_back(static_cast<double>(input.byte()) / 8);
      expected[query].emplace_back(ids.back(), scores.back());
    }
    gathered.add(query, scores, [&](std::size_t row) { return std::string_view(ids[row]); });
  }
  std::map<std::uint32_t, bool> given;
  std::string fault;
  try {
    gathered.hand_out(
        [&](std::uint32_t query, std::span<const std::string_view> found, std::span<const double> numbers) {
          fuzz::expect(!std::exchange(given[query], true), "a query is handed out twice");
          const auto& rows = expected.at(query);
          fuzz::expect(found.size() == rows.size() && numbers.size() == rows.size(), "rows are lost or doubled");
          for (std::size_t row = 0; row < rows.size(); ++row) {
            fuzz::expect(found[row] == rows[row].first && numbers[row] == rows[row].second, "a row is another one");
          }
          if (query % 256 >= 256 - faulty % 64 && faulty >= 128)
            throw rankmark::DuplicateFault(std::to_string(query), "");
        },
        {});
  } catch (const rankmark::DuplicateFault& duplicate) {
    fault = duplicate.query;
  }
  std::string first;
  for (const auto& [query, rows] : expected) {
    const bool refused = query % 256 >= 256 - faulty % 64 && faulty >= 128;
    if (refused && first.empty()) first = std::to_string(query);
    fuzz::expect(given.contains(query) || !fault.empty(), "a query is not handed out");
  }
  fuzz::expect(fault == first, "not the fault of the first query is told");
  return 0;
}
