// SPDX-License-Identifier: Apache-2.0
//
// A setting that is given, or left to whoever decides what was not given.

#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace credens {

namespace detail {

template <class T>
struct Item {
  struct None {};
  using type = None;  ///< not a list
};
template <class T>
struct Item<std::vector<T>> {
  using type = T;
};

}  // namespace detail

/// Reads as a T once it is given. A list is also given by its only item or by its items in braces, a list of lists of
/// numbers also by the numbers of its only list: `.hidden = {16, 8}`.
template <class T>
class Choice {
  using Item = typename detail::Item<T>::type;
  using Number = typename detail::Item<Item>::type;  ///< of a list of lists

 public:
  Choice() = default;
  template <class U>
    requires(std::convertible_to<U &&, T> && !std::same_as<std::remove_cvref_t<U>, Choice>)
  Choice(U&& value) : value_(std::in_place, static_cast<T>(std::forward<U>(value))) {}
  Choice(Item item) : value_(std::in_place, 1, std::move(item)) {}
  Choice(std::initializer_list<Item> items) : value_(std::in_place, items) {}
  template <std::integral... Numbers>
    requires(sizeof...(Numbers) > 0 && std::integral<Number>)
  Choice(Numbers... numbers) : value_(std::in_place, 1, Item{static_cast<Number>(numbers)...}) {}

  bool is_given() const { return value_.has_value(); }
  const T& operator*() const {
    if (!value_) throw std::logic_error("a choice is read before anybody made it");
    return *value_;
  }
  const T* operator->() const { return &**this; }
  operator const T&() const { return **this; }

  /// The value that holds where none was given.
  void set_default(T value) {
    if (!value_) value_ = std::move(value);
  }

  bool operator==(const Choice&) const = default;
  bool operator==(const T& value) const { return value_ == value; }

 private:
  std::optional<T> value_;
};

}  // namespace credens
