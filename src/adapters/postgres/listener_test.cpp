#include "adapters/postgres/server_for_test.h"

namespace tanggul::postgres {
namespace {

class PostgresListenerTest : public PostgresTest {
 protected:
  std::unique_ptr<Listener> listen_to(std::string channel, Duration check = 30s) {
    ListenConfig c;
    c.origin = "products";
    c.address = server_->url();
    c.channel = std::move(channel);
    c.check = check;
    return listen(loop_.executor(), c, [this](std::optional<std::string_view> payload) {
      heard_.emplace_back(payload ? std::string(*payload) : "anything");
    });
  }
  bool hears(std::size_t count) {
    return loop_.until([&] { return heard_.size() >= count; });
  }

  std::vector<std::string> heard_;
};

TEST_F(PostgresListenerTest, HearsWhatIsToldOnItsChannelInOrder) {
  const auto listener = listen_to("product_changed");
  ASSERT_TRUE(hears(1));
  server_->sql("NOTIFY product_changed, '1'; NOTIFY other, '2'; NOTIFY product_changed, '3'");
  ASSERT_TRUE(hears(3));
  EXPECT_EQ(heard_, (std::vector<std::string>{"anything", "1", "3"}));
}

TEST_F(PostgresListenerTest, AfterABreakAnythingMayHaveChanged) {
  const auto listener = listen_to("c");
  ASSERT_TRUE(hears(1));
  server_->kill();
  server_->start();
  ASSERT_TRUE(hears(2));
  EXPECT_EQ(heard_.back(), "anything");
  server_->sql("NOTIFY c, 'x'");
  ASSERT_TRUE(hears(3));
  EXPECT_EQ(heard_.back(), "x");
}

TEST_F(PostgresListenerTest, ConnectionsThatAnswerNothingAreGivenUp) {
  const auto listener = listen_to("c", 200ms);
  ASSERT_TRUE(hears(1));
  server_->freeze();
  // Its question goes unanswered, and the next connection does not come to be.
  const MonoTime end = MonoClock::now() + 6s;
  loop_.until([&] { return MonoClock::now() >= end; });
  server_->thaw();
  ASSERT_TRUE(hears(2));
  server_->sql("NOTIFY c, 'x'");
  EXPECT_TRUE(loop_.until([&] { return heard_.back() == "x"; }));
}

TEST_F(PostgresListenerTest, EndsItsSessionWhenItGoes) {
  auto listener = listen_to("c");
  ASSERT_TRUE(hears(1));
  EXPECT_EQ(sessions(), 1U);
  listener.reset();
  EXPECT_TRUE(loop_.until([&] { return sessions() == 0; }));
}

}  // namespace
}  // namespace tanggul::postgres
