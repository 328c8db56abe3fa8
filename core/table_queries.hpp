// Which rows of a table belong to which query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ids.hpp"
#include "poll.hpp"
#include "table.hpp"

namespace rankmark {

// Consecutive rows of one query.
struct Stretch {
  std::int64_t first, rows;
  std::uint32_t query;  // its number
};

// The rows of each query, in their order. Numbers of queries are those of ids that are known, and above them the
// others in order of appearance.
class RowsByQuery {
 public:
  RowsByQuery(const IdColumn& column, const IdTable& known, int threads, const Poll& poll);

  std::uint32_t queries() const noexcept { return static_cast<std::uint32_t>(starts_.size()) - 1; }
  const IdTable& others() const noexcept { return others_; }

  // Whether rows of one query seldom stand together; then they are listed one by one, and not as stretches.
  bool are_scattered() const noexcept { return are_scattered_; }
  std::span<const Stretch> stretches(std::uint32_t query) const noexcept {
    return are_scattered_ ? std::span<const Stretch>() : part(stretches_, query);
  }
  std::span<const std::uint32_t> rows(std::uint32_t query) const noexcept {
    return are_scattered_ ? part(rows_, query) : std::span<const std::uint32_t>();
  }

  bool has(std::uint32_t query) const noexcept { return starts_[query] < starts_[query + std::size_t{1}]; }
  // Whether rows of other queries stand between those of this one.
  bool is_interleaved(std::uint32_t query) const noexcept;

 private:
  template <class T>
  std::span<const T> part(const std::vector<T>& of, std::uint32_t query) const noexcept {
    return {of.data() + starts_[query], starts_[query + std::size_t{1}] - starts_[query]};
  }

  IdTable others_;
  std::vector<std::size_t> starts_;  // (queries + 1,)
  std::vector<Stretch> stretches_;
  std::vector<std::uint32_t> rows_;
  bool are_scattered_ = false;
};

}  // namespace rankmark
