// Rows are looked at in steps, by several threads: where a query's rows stand together, its id is looked up once; where
// they do not, each row's query is numbered, and the rows are sorted by these numbers.
#include <algorithm>
#include <concepts>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "parallel.hpp"
#include "table_rankings.hpp"
#include "table_values.hpp"

namespace rankmark {
namespace {

constexpr std::int64_t kRowsOfStep = std::int64_t{1} << 16;  // rows that are looked at in one go

// Numbers the distinct ids of a step in order of appearance. Short text and whole numbers are their own keys.
class Numbering {
 public:
  void start() {
    slots_.assign(1024, {});
    texts_.clear();
    count_ = 0;
  }

  std::uint32_t size() const noexcept { return count_; }

  template <std::integral Number>
  std::uint32_t number(Number id) {
    return of_key(static_cast<std::uint64_t>(id), std::cmp_greater(id, kMostSigned) ? kLarge : kWhole);
  }
  // The text is to stay where it lies until the next start.
  std::uint32_t number(std::string_view id) {
    if (id.size() <= 8) return of_key(packed(id), static_cast<std::uint32_t>(id.size()));
    const std::uint64_t hash = hash_id(id);
    if (2 * (count_ + std::size_t{1}) > slots_.size()) grow();
    texts_.resize(count_);
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      Slot& slot = slots_[at];
      if (slot.number == kFree) {
        texts_.push_back(id);
        slot = {hash, kLong, count_};
        return count_++;
      }
      if (slot.key == hash && slot.kind == kLong && texts_[slot.number] == id) return slot.number;
    }
  }

 private:
  static constexpr std::uint32_t kFree = 0xffffffff;
  static constexpr std::uint32_t kLong = 9, kWhole = 10, kLarge = 11;  // above the lengths of short texts
  static constexpr std::int64_t kMostSigned = std::numeric_limits<std::int64_t>::max();

  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t kind = 0, number = kFree;
  };

  static std::uint64_t packed(std::string_view id) noexcept {
    const char* const p = id.data();
    const std::size_t n = id.size();
    if (n == 8) return hashing::load8(p);
    if (n >= 4) return hashing::load4(p) | hashing::load4(p + n - 4) << 32;
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < n; ++i) key = key << 8 | static_cast<unsigned char>(p[i]);
    return key;
  }

  static std::uint64_t hash_of(const Slot& slot) noexcept {
    return slot.kind == kLong ? slot.key
                              : hashing::fold(slot.key ^ hashing::kSecrets.first, hashing::kSecrets.second ^ slot.kind);
  }

  std::uint32_t of_key(std::uint64_t key, std::uint32_t kind) {
    if (2 * (count_ + std::size_t{1}) > slots_.size()) grow();
    const Slot wanted{key, kind, count_};
    for (std::size_t at = hash_of(wanted) & mask();; at = (at + 1) & mask()) {
      Slot& slot = slots_[at];
      if (slot.number == kFree) {
        slot = wanted;
        return count_++;
      }
      if (slot.key == key && slot.kind == kind) return slot.number;
    }
  }

  std::size_t mask() const noexcept { return slots_.size() - 1; }

  void grow() {
    const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    for (const Slot& slot : before) {
      if (slot.number == kFree) continue;
      std::size_t at = hash_of(slot) & mask();
      while (slots_[at].number != kFree) at = (at + 1) & mask();
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;              // open addressing, a power of two, at most half full
  std::vector<std::string_view> texts_;  // of long ids, by number
  std::uint32_t count_ = 0;
};

struct Step {
  std::vector<Segment> segments;
  // Where these would be as many as rows: the number of each row's query, and for each number which query it is, and
  // the row that names it first.
  std::vector<std::uint32_t> numbers, queries;
  std::vector<std::int64_t> firsts;
};

// Looks at steps one after another, keeping its scratch space; one for each thread.
class StepReader {
 public:
  StepReader(const IdColumn& column, const IdTable& known) : column_(column), known_(known) {}

  void read(std::int64_t begin, std::int64_t end, Step& step) {
    segments_.find(column_, begin, end);
    if (4 * segments_.size() > static_cast<std::size_t>(end - begin) && end - begin >= 64) {
      number_rows(begin, end, step);
      return;
    }
    segments_.each(column_, [&](std::string_view id, std::int64_t first, std::int64_t last) {
      step.segments.push_back({first, last - first, known_.find(id)});
    });
  }

 private:
  void number_rows(std::int64_t begin, std::int64_t end, Step& step) {
    numbering_.start();
    step.numbers.reserve(static_cast<std::size_t>(end - begin));
    const auto add = [&](auto value) {
      const std::uint32_t number = numbering_.number(value);
      if (number == step.firsts.size()) {
        step.firsts.push_back(begin + static_cast<std::int64_t>(step.numbers.size()));
      }
      step.numbers.push_back(number);
    };
    Ids written(0);
    with_pieces(column_, begin, end, [&](const Piece& piece, std::int64_t from, std::int64_t to) {
      with_meanings(piece, [&](const auto& values) {
        using Value = std::decay_t<decltype(values[0])>;
        if constexpr (std::is_same_v<Value, std::string_view>) {
          for (std::int64_t i = from; i < to; ++i) add(values[i]);
        } else if constexpr (std::is_integral_v<Value>) {
          for (std::int64_t i = from; i < to; ++i) add(values[i]);
        } else {
          const std::int64_t first = piece.first - piece.offset;
          const std::size_t before = written.texts().size();
          written.append(column_, from + first, to + first);
          for (std::size_t i = before; i < written.texts().size(); ++i) add(written.texts()[i]);
        }
      });
    });
    for (const std::int64_t row : step.firsts) step.queries.push_back(known_.find(ids_.only(column_, row)));
  }

  const IdColumn& column_;
  const IdTable& known_;
  Numbering numbering_;
  Ids ids_{1};
  IdSegments segments_;
};

// Numbers the queries that are not known, in order of appearance.
IdTable number_others(const IdColumn& column, std::uint32_t known, std::vector<Step>& steps) {
  IdTable others;
  Ids ids(1);
  const auto number = [&](std::uint32_t& query, std::int64_t row) {
    if (query == IdTable::kAbsent) query = known + others.find_or_add(ids.only(column, row));
  };
  for (Step& step : steps) {
    for (Segment& segment : step.segments) number(segment.query, segment.first);
    for (std::size_t i = 0; i < step.queries.size(); ++i) number(step.queries[i], step.firsts[i]);
  }
  return others;
}

// All segments in the order of the rows, those of neighbouring steps joined.
std::vector<Segment> joined(std::vector<Step>& steps) {
  std::vector<Segment> all;
  const auto add = [&all](const Segment& segment) {
    if (!all.empty() && all.back().query == segment.query) {
      all.back().rows += segment.rows;
    } else {
      all.push_back(segment);
    }
  };
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const Step step = std::exchange(steps[at], {});
    for (const Segment& segment : step.segments) add(segment);
    auto row = static_cast<std::int64_t>(at) * kRowsOfStep;
    for (const std::uint32_t number : step.numbers) add({row++, 1, step.queries[number]});
  }
  return all;
}

// Calls `use(query, row, rows)` for the rows of a step.
template <class Use>
void each_segment(const Step& step, std::size_t at, const Use& use) {
  for (const Segment& segment : step.segments) {
    use(segment.query, static_cast<std::uint32_t>(segment.first), static_cast<std::uint32_t>(segment.rows));
  }
  auto row = static_cast<std::uint32_t>(at * static_cast<std::size_t>(kRowsOfStep));
  for (const std::uint32_t number : step.numbers) use(step.queries[number], row++, std::uint32_t{1});
}

// Sorts all rows by query; `starts`, of a length that fits, becomes where each query's rows begin.
std::vector<std::uint32_t> sorted_rows(std::vector<Step>& steps, std::size_t rows, std::vector<std::size_t>& starts,
                                       int threads) {
  const std::size_t queries = starts.size() - 1;
  const std::size_t blocks = std::clamp<std::size_t>(static_cast<std::size_t>(threads), 1, steps.size());
  std::vector<std::vector<std::uint32_t>> next(blocks);  // how many rows a block has of each query, then where they go
  const auto each_block = [&](const auto& use) {
    share_out(blocks, threads, nullptr, [&] {
      return [&](std::uint64_t block) {
        for (std::size_t at = steps.size() * block / blocks; at < steps.size() * (block + 1) / blocks; ++at) {
          use(next[block], at);
        }
      };
    });
  };
  for (auto& counts : next) counts.resize(queries);
  each_block([&](std::vector<std::uint32_t>& counts, std::size_t at) {
    each_segment(steps[at], at, [&](std::uint32_t query, std::uint32_t, std::uint32_t some) { counts[query] += some; });
  });
  std::uint32_t place = 0;
  for (std::size_t query = 0; query < queries; ++query) {
    starts[query] = place;
    for (auto& counts : next) place += std::exchange(counts[query], place);
  }
  starts[queries] = place;
  std::vector<std::uint32_t> sorted(rows);
  each_block([&](std::vector<std::uint32_t>& places, std::size_t at) {
    each_segment(steps[at], at, [&](std::uint32_t query, std::uint32_t row, std::uint32_t some) {
      for (; some > 0; --some) sorted[places[query]++] = row++;
    });
    steps[at] = {};
  });
  return sorted;
}

// Segments of one query side by side, in the order of the rows; `starts` becomes where each query's begin.
std::vector<Segment> sorted_segments(const std::vector<Segment>& segments, std::vector<std::size_t>& starts) {
  for (const Segment& segment : segments) ++starts[segment.query + std::size_t{1}];
  for (std::size_t q = 0; q + 1 < starts.size(); ++q) starts[q + 1] += starts[q];
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  std::vector<Segment> sorted(segments.size());
  for (const Segment& segment : segments) sorted[next[segment.query]++] = segment;
  return sorted;
}

}  // namespace

RowsByQuery::RowsByQuery(const IdColumn& column, const IdTable& known, int threads, const Poll& poll) {
  std::vector<Step> steps(static_cast<std::size_t>((column.rows() + kRowsOfStep - 1) / kRowsOfStep));
  share_out(steps.size(), threads, poll, [&] {
    return [&, reader = StepReader(column, known)](std::uint64_t at) mutable {
      const std::int64_t begin = static_cast<std::int64_t>(at) * kRowsOfStep;
      reader.read(begin, std::min(begin + kRowsOfStep, column.rows()), steps[at]);
    };
  });
  others_ = number_others(column, known.size(), steps);
  starts_.assign(known.size() + std::size_t{others_.size()} + 1, 0);
  std::size_t alone = 0;
  for (const Step& step : steps) alone += step.numbers.size();
  are_scattered_ = 8 * alone > static_cast<std::size_t>(column.rows());
  if (are_scattered_) {
    rows_ = sorted_rows(steps, static_cast<std::size_t>(column.rows()), starts_, threads);
  } else {
    segments_ = sorted_segments(joined(steps), starts_);
  }
}

bool RowsByQuery::is_interleaved(std::uint32_t query) const noexcept {
  if (!are_scattered_) return segments(query).size() > 1;
  const auto own = rows(query);
  return !own.empty() && own.back() - own.front() + std::size_t{1} != own.size();
}

}  // namespace rankmark
