#include "sync/repository/address.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/bytes.h"

namespace tanggul::sync {
namespace {

std::string url(std::string_view text) {
  const auto address = parse_address(text);
  return address ? address->url : address.error().detail;
}
bool refused(std::string_view text) {
  const auto address = parse_address(text);
  return !address && address.error().code == Errc::bad_input;
}
std::string why(std::string_view text) {
  const std::string detail = parse_address(text).error().detail;
  return detail.substr(detail.find(": ") + 2);
}

TEST(Address, OneRepositoryHasOneNameHoweverItIsWritten) {
  for (const char* text : {"https://github.com/rails/rails",
                           "https://github.com/Rails/Rails",
                           "https://GitHub.com/rails/rails/",
                           "https://github.com/rails/rails.git",
                           "https://github.com/rails/rails.git/",
                           "https://github.com//rails//rails",
                           "https://github.com:443/rails/rails",
                           "http://github.com/rails/rails",
                           "http://github.com:80/rails/rails",
                           "https://www.github.com/rails/rails",
                           "https://github.com./rails/rails",
                           "https://github.com/rails/rails?tab=readme-ov-file",
                           "https://github.com/rails/rails#readme",
                           "https://github.com/rails/rails/tree/main/docs",
                           "https://github.com/rails/rails/blob/main/README.md?plain=1#L3",
                           "https://github.com/rails/rails/issues/1",
                           "https://someone@github.com/rails/rails",
                           "https://github.com/%72ails/rails%2Egit",
                           "git@github.com:rails/rails.git",
                           "git@github.com:rails/rails",
                           "git@github.com:/rails/rails.git",
                           "github.com:rails/rails",
                           "ssh://git@github.com/rails/rails.git",
                           "ssh://git@github.com:22/rails/rails.git",
                           "ssh://git@ssh.github.com:443/rails/rails.git",
                           "git://github.com/rails/rails.git",
                           "git://github.com:9418/rails/rails",
                           "git+https://github.com/rails/rails.git",
                           "git+ssh://git@github.com/rails/rails.git",
                           "HTTPS://github.com/rails/rails",
                           "github.com/rails/rails",
                           "www.github.com/rails/rails",
                           "github.com:443/rails/rails"})
    EXPECT_EQ(url(text), "https://github.com/rails/rails") << text;
}

TEST(Address, EachForgeNamesItsRepositoriesInItsWay) {
  const std::pair<const char*, const char*> cases[] = {
      {"https://gitlab.com/A/B/C.git", "https://gitlab.com/a/b/c"},
      {"https://gitlab.com/a/b/c/-/tree/main/x", "https://gitlab.com/a/b/c"},
      {"https://gitlab.com/a/b/blob/master/README.md", "https://gitlab.com/a/b"},
      {"https://gitlab.com/a/b/tree.git", "https://gitlab.com/a/b"},
      {"git@gitlab.com:a/b/c/d.git", "https://gitlab.com/a/b/c/d"},
      {"https://huggingface.co/Org/Model/tree/main", "https://huggingface.co/org/model"},
      {"https://hf.co/Org/Model", "https://huggingface.co/org/model"},
      {"https://huggingface.co/gpt2/blob/main/config.json", "https://huggingface.co/gpt2"},
      {"https://huggingface.co/datasets/a/b/viewer", "https://huggingface.co/datasets/a/b"},
      {"https://huggingface.co/datasets/squad", "https://huggingface.co/datasets/squad"},
      {"https://huggingface.co/spaces/a/b", "https://huggingface.co/spaces/a/b"},
      {"https://codeberg.org/a/b/src/branch/main", "https://codeberg.org/a/b"},
      {"https://bitbucket.org/A/b/src/master/", "https://bitbucket.org/a/b"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(url(text), expected) << text;
}

TEST(Address, OfAHostThatWeDoNotKnowThePathStays) {
  const std::pair<const char*, const char*> cases[] = {
      {"https://Git.Example.org/Some/Path/Name.git/", "https://git.example.org/Some/Path/Name"},
      {"http://example.org/a", "http://example.org/a"},
      {"http://127.0.0.1:8080/a/b", "http://127.0.0.1:8080/a/b"},
      {"https://[2001:DB8::1]:8443/a", "https://[2001:db8::1]:8443/a"},
      {"https://example.org:443/a?b#c", "https://example.org/a"},
      {"http://example.org:443/a", "http://example.org:443/a"},
      {"https://github.com:8443/A/b", "https://github.com:8443/A/b"},
      {"https://example.org/%e4%b8%ad%2D~x", "https://example.org/%E4%B8%AD-~x"},
      {"https://example.org/a.git.git", "https://example.org/a"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(url(text), expected) << text;
}

TEST(Address, WhatIsNoneIsRefusedWithAReason) {
  const std::string long_one = "https://example.org/" + std::string(2100, 'a');
  const std::pair<std::string, const char*> cases[] = {
      {"", "it is empty."},
      {long_one, "it is longer than 2 KiB."},
      {"gitlab.com/a/" + std::string(2030, 'b'), "it is longer than 2 KiB."},
      {"--upload-pack=x", "it begins with a '-', as options of programs do."},
      {"https://github.com/a b/c", "a space is in it."},
      {" https://github.com/a/b", "a space is in it."},
      {"https://github.com/a/b\n", "a character is in it that is no printable ASCII."},
      {"https://github.com/a/\xC3\xA9", "a character is in it that is no printable ASCII."},
      {"https://github.com\\a/b", "a character is in it that no address has."},
      {"file:///etc/passwd", "only https, http, ssh and git are read."},
      {"ext::sh", "only https, http, ssh and git are read."},
      {"ext::sh://github.com/a/b", "only https, http, ssh and git are read."},
      {"git+file:///a/b", "only https, http, ssh and git are read."},
      {"https:///a/b", "its host is none."},
      {"https://a..b/c", "its host is none."},
      {"https://-a/c", "its host is none."},
      {"https://git%68ub.com/a/b", "its host is none."},
      {"https://[::1/a", "its host is none."},
      {"https://github.com:x/a/b", "its port is none."},
      {"https://github.com:65536/a/b", "its port is none."},
      {"https://a@b@github.com/a/b", "its host is not clear."},
      {"https://example.org", "it names a host and no repository."},
      {"https://example.org/?a", "it names a host and no repository."},
      {"https://example.org/.git", "its repository has no name."},
      {"https://example.org/...git", "its path has a '.' or '..'."},
      {"https://github.com/a/.git", "its repository has no name."},
      {"https://github.com/rails", "it names no repository of that forge."},
      {"https://gitlab.com/a/-/b", "it names no repository of that forge."},
      {"https://huggingface.co/datasets.git/tree/main", "it names no repository of that forge."},
      {"https://huggingface.co/papers/1706.03762", "it names no repository of that forge."},
      {"https://github.com/a/b%20c", "that forge has no such names."},
      {"https://github.com/a/../b", "its path has a '.' or '..'."},
      {"https://example.org/a/%2e%2E/b", "its path has a '.' or '..'."},
      {"https://example.org/a%2fb", "a percent sign in it hides what may not be in a path."},
      {"https://example.org/a%5Cb", "a percent sign in it hides what may not be in a path."},
      {"https://example.org/a%00b", "a percent sign in it hides what may not be in a path."},
      {"https://example.org/a%", "a percent sign in it hides what may not be in a path."},
      {"https://example.org/a%4", "a percent sign in it hides what may not be in a path."},
      {"example.org/a/b", "it has no https:// and names no forge we know."},
      {"a/b", "it has no https:// and names no forge we know."},
      {"git@example.org:a/b", "ssh and git:// are read as https of forges that we know alone."},
      {"ssh://example.org/a", "ssh and git:// are read as https of forges that we know alone."},
      {"git://example.org/a", "ssh and git:// are read as https of forges that we know alone."}};
  for (const auto& [text, reason] : cases) {
    ASSERT_TRUE(refused(text)) << text << " gave " << url(text);
    EXPECT_EQ(why(text), reason) << text;
  }
}

TEST(Address, APasswordIsRefusedAndNotRepeated) {
  for (const char* text :
       {"https://user:s3cret@github.com/a/b", "https://:s3cret@github.com/a/b",
        "http://x:s3cret@example.org/a", "ssh://git:s3cret@github.com/a/b",
        "https://s3cret:@github.com/a/b", "git+https://u:s3cret@github.com/a/b"}) {
    ASSERT_TRUE(refused(text)) << text;
    EXPECT_EQ(why(text), "a password is in it: it would be kept with the name of the repository.");
  }
  EXPECT_EQ(url("https://s3cret@github.com/a/b"), "https://github.com/a/b");
  EXPECT_EQ(parse_address("ssh://u:s3cret").error().detail.find("s3cret"), std::string::npos);
  EXPECT_EQ(parse_address("u:s3cret@github.com/a/b").error().detail.find("s3cret"),
            std::string::npos);
}

rc::Gen<std::string> names() {
  return rc::gen::suchThat(
      rc::gen::resize(12, rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(
                              std::string("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-_."))))),
      [](const std::string& name) {
        return name != "." && name != ".." && name != "-" && !to_lower(name).ends_with(".git");
      });
}

RC_GTEST_PROP(Address, EveryWayToWriteARepositoryGivesItsOneName, ()) {
  const std::string host =
      *rc::gen::element<std::string>("github.com", "codeberg.org", "bitbucket.org");
  const std::string owner = *names(), name = *names();
  const std::string before = *rc::gen::element<std::string>(
      "https://", "http://", "HTTPS://", "git+https://", "git://", "ssh://git@", "ssh://",
      "https://www.", "https://me@", "", "www.");
  const std::string after = *rc::gen::element<std::string>(
      "", "/", ".git", ".git/", "?tab=readme", "#readme", "/tree/main", "/src/a/b?c#d", "//");
  const std::string expected = "https://" + host + "/" + to_lower(owner) + "/" + to_lower(name);
  RC_ASSERT(url(before + host + "/" + owner + "/" + name + after) == expected);
  RC_ASSERT(url("git@" + host + ":" + owner + "/" + name + after) == expected);
}

RC_GTEST_PROP(Address, ANameGivesItselfAgain, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::oneOf(
      names(), rc::gen::element<std::string>(
                   "https://", "http://", "github.com", "gitlab.com", "huggingface.co", "/", "/-/",
                   ".git", "%41", "%2e", "%2F", "%c3", "..", "@", ":", ":80", ":443", "?", "#",
                   "www.", "git@", "ssh://", "datasets/", "tree", "[::1]", "git+")));
  std::string text = *rc::gen::element<std::string>("", "https://", "http://a/",
                                                    "https://github.com/", "https://gitlab.com/");
  for (const std::string& piece : pieces) text += piece;
  const auto address = parse_address(text);
  if (!address) return;
  RC_ASSERT(parse_address(address->url).value() == *address);
  const std::string authority = address->url.substr(0, address->url.find('/', 8));
  RC_ASSERT(authority.find('@') == std::string::npos);
  RC_ASSERT(address->url.find_first_of("?#\\") == std::string::npos);
  RC_ASSERT(!address->url.ends_with("/"));
  RC_ASSERT(!address->url.ends_with(".git"));
}

}  // namespace
}  // namespace tanggul::sync
