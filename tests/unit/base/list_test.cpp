#include "base/list.h"

#include <memory>

#include <gtest/gtest.h>

namespace executorch_backend_tensorrt {
namespace {

TEST(List, GrowsAndKeepsOrder) {
  List<int> list;
  EXPECT_TRUE(list.empty());
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(list.push(i), i);
  }
  ASSERT_EQ(list.size(), 1000U);
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(list[i], static_cast<int>(i));
  }
}

TEST(List, ReservedElementsStayWhereTheyAre) {
  List<int> list;
  list.reserve(100);
  const int* first = &list.push(0);
  for (int i = 1; i < 100; ++i) {
    list.push(i);
  }
  EXPECT_EQ(first, list.data());
}

TEST(List, ClearKeepsTheRoom) {
  List<int> list;
  list.reserve(4);
  const int* first = &list.push(1);
  list.clear();
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(&list.push(2), first);
}

TEST(List, DestroysEveryElementOnce) {
  const auto counter = std::make_shared<int>();
  {
    List<std::shared_ptr<int>> list;
    for (int i = 0; i < 20; ++i) {
      list.push(counter);
    }
    EXPECT_EQ(counter.use_count(), 21);
    const List<std::shared_ptr<int>> moved(std::move(list));
    EXPECT_EQ(counter.use_count(), 21);
  }
  EXPECT_EQ(counter.use_count(), 1);
}

TEST(List, RefusesSizesThatWrap) {
  List<double> list;
  EXPECT_THROW(list.reserve(static_cast<std::size_t>(-1) / sizeof(double) + 2), std::bad_alloc);
}

}  // namespace
}  // namespace executorch_backend_tensorrt
