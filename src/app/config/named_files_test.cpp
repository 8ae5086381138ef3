#include "app/config/named_files.h"

#include <gtest/gtest.h>

#include "app/config/directory_for_test.h"
#include "support/certificate.h"

namespace tanggul::app {
namespace {

using Lines = std::vector<std::string>;

class NamedFiles : public testing::Test {
 protected:
  void use(const test::Certificate& made) {
    config_.tls.cert = dir_.file("cert.pem", made.cert);
    config_.tls.key = dir_.file("key.pem", made.key);
  }
  Lines errors() const { return faults_of_files(config_).errors; }
  Lines warnings() const { return faults_of_files(config_).warnings; }

  TemporaryDirectory dir_;
  const std::string cert_ = dir_.path() + "/cert.pem", key_ = dir_.path() + "/key.pem";
  Config config_;
};

TEST_F(NamedFiles, NoneAndGoodOnesHaveNoFault) {
  EXPECT_EQ(errors(), Lines{});
  use(test::make_certificate());
  EXPECT_EQ(errors(), Lines{});
  EXPECT_EQ(warnings(), Lines{});
}

TEST_F(NamedFiles, AreToldWhereTheyCannotBeRead) {
  config_.tls = {"/nonexistent/c.pem", "k.pem"};
  config_.shield.origins.emplace_back().name = "o";
  config_.shield.origins[0].tls.ca = "/nonexistent/ca.pem";
  config_.cluster.ca = "/nonexistent/nodes.pem";
  EXPECT_EQ(errors(),
            (Lines{"tls.cert: the file /nonexistent/c.pem cannot be read; name a PEM file that can",
                   "tls.key: the file k.pem cannot be read from " +
                       std::filesystem::current_path().string() + "; name a PEM file that can",
                   "cluster.ca: the file /nonexistent/nodes.pem cannot be read; name a PEM file "
                   "that can",
                   "origins.o.tls.ca: the file /nonexistent/ca.pem cannot be read; name a PEM file "
                   "that can"}));
}

TEST_F(NamedFiles, WhoIsTrustedIsACertificateAtLeast) {
  const test::Certificate good = test::make_certificate();
  config_.shield.origins.emplace_back().name = "o";
  std::string& cluster = config_.cluster.ca;
  std::string& origin = config_.shield.origins[0].tls.ca;
  cluster = dir_.file("nodes.pem", "a remark\n" + good.key + good.cert);
  origin = dir_.file("ca.pem", good.cert + good.cert);
  EXPECT_EQ(errors(), Lines{});
  for (const std::string& bad :
       {std::string(), std::string("no PEM"), good.key, good.cert.substr(0, 100)}) {
    dir_.file("nodes.pem", bad);
    dir_.file("ca.pem", bad);
    const std::string end = " holds no PEM certificate; name one with those to trust";
    EXPECT_EQ(errors(), (Lines{"cluster.ca: the file " + cluster + end,
                               "origins.o.tls.ca: the file " + origin + end}));
  }
}

TEST_F(NamedFiles, OfACertificateAndAnothersKeyAreAnError) {
  use({test::make_certificate().cert, test::make_certificate().key});
  EXPECT_EQ(errors(), Lines{"tls: the key in " + key_ + " does not belong to the certificate in " +
                            cert_ + "; write the one that it was made with"});
}

TEST_F(NamedFiles, AnEncryptedKeyIsAnErrorAndNobodyIsAsked) {
  use(test::make_certificate({.pass_phrase = "secret"}));
  EXPECT_EQ(errors(),
            Lines{"tls: the key in " + key_ + " is encrypted, and nobody is there to type its " +
                  "pass phrase; write it without one (openssl pkey -in " + key_ + ")"});
}

TEST_F(NamedFiles, WithoutPemAreAnError) {
  const test::Certificate good = test::make_certificate();
  for (const std::string& bad : {std::string(), std::string("no PEM"), good.cert.substr(0, 100)}) {
    use({bad, good.key});
    EXPECT_EQ(errors(), Lines{"tls: the file " + cert_ +
                              " holds no PEM certificate; write the "
                              "server's there first, then its chain"});
    use({good.cert, bad});
    EXPECT_EQ(errors(), Lines{"tls: the file " + key_ + " holds no PEM private key"});
  }
  use({good.key, good.cert});  // the one for the other
  EXPECT_EQ(errors().size(), 1U);
  use(good);
  config_.tls.cert = dir_.path();
  EXPECT_EQ(errors().size(), 1U);
}

TEST_F(NamedFiles, ACertificateOutOfItsTimeIsAWarning) {
  use(test::make_certificate({.from = -48h, .until = -24h}));
  EXPECT_EQ(errors(), Lines{});
  EXPECT_EQ(warnings(), Lines{"tls.cert: the certificate in " + cert_ +
                              " has expired; clients will refuse it"});
  use(test::make_certificate({.from = 24h, .until = 48h}));
  EXPECT_EQ(warnings(), Lines{"tls.cert: the certificate in " + cert_ +
                              " is not valid yet; clients will refuse it"});
}

}  // namespace
}  // namespace tanggul::app
