#include "readers/tables/topic.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>
#include <vector>

#include "readers/text/words.h"

namespace tanggul::readers {
namespace {

// What a word speaks of; a word may be of several kinds.
using Kinds = unsigned;
constexpr Kinds kMetric = 1, kDataset = 2, kWeak = 4, kCost = 8, kAnnouncement = 16,
                kUsualInProse = 32;

constexpr std::string_view kMetrics =
    "acc accuracy accuracies top1 top5 top ap map apm aps apl ar bleu sacrebleu rouge "
    "rougel rouge1 rouge2 meteor cider spice wer cer der eer fid rfid gfid kid fvd "
    "inception psnr ssim msssim lpips f1 fscore em mcc pearson spearman spearmanr kendall "
    "perplexity ppl bpc bpb score scores iou miou biou dice dsc auc auroc auprc prauc roc "
    "rocauc recall precision prec mrr ndcg hits pass rmse mae mse mape smape nrmse nll elbo "
    "err error errors elo winrate win success reward rewards pq sq rq mota motp idf1 hota "
    "epe absrel pck pckh mpjpe nds amota correlation corr mos pesq stoi sdr sisdr sisnr snr "
    "hmean sensitivity specificity chrf comet bertscore ter uas las rmsd gdt lddt plddt "
    "bench benchmark loss matthews exact rank1 tar far gmean hausdorff assd hd95 chamfer cd "
    "precisão precisión exactitud acurácia précision genauigkeit точность niqe dists musiq "
    "clipscore evaluation nme likelihood r1 r5 r10 p1 quality performance "
    "uacc macc oa ate rpe ece correctness solved regret fitness toxicity faithfulness "
    "hallucination ndcg10";

constexpr std::string_view kDatasets =
    "imagenet imagenet1k imagenet21k in1k cifar cifar10 cifar100 mnist svhn stl coco mscoco "
    "voc cityscapes ade ade20k kitti nuscenes waymo lvis objects365 kinetics k400 k600 k700 "
    "ucf101 hmdb51 ssv1 ssv2 sthv2 glue superglue mnli qnli qqp sst cola mrpc rte wnli stsb "
    "sts snli xnli anli squad race swag hellaswag piqa siqa arc boolq winogrande openbookqa "
    "obqa mmlu gsm8k gsm math humaneval mbpp bbh truthfulqa ceval cmmlu agieval gaokao "
    "triviaqa nq hotpotqa drop coqa quac librispeech commonvoice tedlium aishell "
    "wenetspeech fleurs voxceleb wmt wmt14 wmt16 iwslt flores flickr30k vqa vqav2 gqa "
    "textvqa docvqa chartqa infovqa ocrbench mmmu mmbench mme pope seedbench scienceqa sqa "
    "okvqa vizwiz mathvista mmvet lfw agedb cfp ijb megaface market1501 dukemtmc msmt17 "
    "cuhk03 msmarco beir mteb wikitext wikitext2 wikitext103 ptb lambada enwik8 text8 c4 "
    "pile shapenet modelnet modelnet40 scannet s3dis semantickitti dtu nyu nyuv2 sintel "
    "set5 set14 bsd100 bsd68 urban100 manga109 div2k gopro sidd reds vid4 celeba celebahq "
    "ffhq lsun afhq mpii h36m davis youtubevos mot15 mot16 mot17 mot20 got10k lasot "
    "trackingnet otb100 ogbn ogbg cora citeseer pubmed zinc qm9 yelp imdb agnews dbpedia "
    "conll conll03 ontonotes mtbench alpacaeval wizardeval arenahard livecodebench swebench "
    "aime gpqa ifeval bfcl ruler longbench egoschema mvbench videomme activitynet msvd "
    "msrvtt didemo ctw1500 icdar icdar2015 totaltext omniglot miniimagenet tieredimagenet "
    "cub food101 pets flowers cars aircraft dtd eurosat places365 inaturalist atari mujoco "
    "d4rl halfcheetah hopper walker2d procgen etth1 etth2 ettm1 ettm2 electricity traffic "
    "weather exchange jnli jglue jsquad jcommonsenseqa klue klej clue cluewsc cmrc drcd "
    "ocnli afqmc tnews iflytek multipl ds1000 codexglue codesearchnet spider wikisql bird "
    "pascal refcoco refcocog visdrone dota tao ava charades epic ego4d hmdb ucf biosses "
    "sickr medqa medmcqa pubmedqa bc5cdr chexpert mimic isic brats acdc synapse btcv lits "
    "drive";

constexpr std::string_view kWeakWords =
    "val valid validation test dev minival avg average mean overall result results eval std "
    "r2 rank rate ratio delta easy medium hard clean other seen unseen novel";

constexpr std::string_view kCosts =
    "param params parameters parameter size sizes flops gflops flop macs gmacs mem memory "
    "vram ram gpu gpus time times latency speed speedup fps throughput ms sec seconds hours "
    "hour epochs epoch batch lr learning steps step iterations iters iter layers layer "
    "hidden heads dim dims dimension dimensions width depth height resolution input version "
    "versions cuda python pytorch torch tensorflow url link links download downloads config "
    "configs checkpoint checkpoints ckpt year date id license seed seeds length len context "
    "ctx tokens token vocab vocabulary schedule schd sched samples images videos frames frame "
    "classes num number count port default defaults price cost disk storage bits bit warmup "
    "dropout temperature decay stars release released option options argument arguments "
    "flag type description requirement requirements compute hardware os duration sentences "
    "documents nodes edges graphs features episodes interval threads cpu cpus cores node "
    "usage issue pr pages chapter section week lecture day month quantity amount kernel "
    "stride channels padding rounds examples entities speakers languages bytes";

constexpr std::string_view kAnnouncements =
    "result results performance performances evaluation evaluations evaluated benchmark "
    "benchmarks leaderboard comparison comparisons comparing compare compared scores score "
    "outperforms outperform accuracies achieves achieve metrics metric quantitative sota "
    "reproduction reproduced ablation evaluate";

// Names of metrics and datasets that a sentence uses in their ordinary sense.
constexpr std::string_view kOrdinary =
    "top win error errors exact loss far math drop race success performance quality hits "
    "pass arc pile seed drive cars pets traffic weather exchange epic bird spider flowers";

// Metrics only where such a word is all that a cell says.
constexpr std::string_view kAlone[] = {"is", "f", "p", "r", "d1", "far", "hd", "sr", "spl"};

class Dictionary {
 public:
  Dictionary() {
    add(kMetrics, kMetric);
    add(kDatasets, kDataset);
    add(kWeakWords, kWeak);
    add(kCosts, kCost);
    add(kAnnouncements, kAnnouncement);
    add(kOrdinary, kUsualInProse);
  }

  Kinds of(std::string_view word) const {
    const auto found = kinds_.find(word);
    return found == kinds_.end() ? 0 : found->second;
  }

  // Of a metric or dataset also with a number behind its name: "recall50".
  Kinds with_number(std::string_view word) const {
    const std::size_t end = word.find_last_not_of("0123456789") + 1;
    const Kinds bare =
        end > 1 && end < word.size() ? of(word.substr(0, end)) & (kMetric | kDataset) : 0;
    return of(word) | bare;
  }

 private:
  void add(std::string_view words, Kinds kind) {  // parted by blanks
    while (!words.empty()) {
      const std::size_t end = std::min(words.find(' '), words.size());
      kinds_[words.substr(0, end)] |= kind;
      words.remove_prefix(std::min(end + 1, words.size()));
    }
  }

  std::unordered_map<std::string_view, Kinds> kinds_;
};

const Dictionary& dictionary() {
  static const Dictionary kWords;
  return kWords;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<signed char>(c) >= 0; });
}

template <std::size_t N>
bool any_in(std::string_view text, const std::string_view (&parts)[N]) {
  return std::any_of(std::begin(parts), std::end(parts), [text](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  });
}

// Of texts in scripts that part no words.
constexpr std::string_view kWeakParts[] = {"开发集", "测试集", "验证集", "挑战集",
                                           "平均",   "テスト", "開発"};
constexpr std::string_view kMetricParts[] = {"命中率", "ヒット率", "カバー率", "正确率",
                                             "准确率", "精度",     "得分",     "评测",
                                             "精度率", "召回率",   "정확도"};
constexpr std::string_view kAnnouncingParts[] = {"效果",   "対比", "对比", "结果", "性能",
                                                 "评测",   "评估", "結果", "評価", "比较",
                                                 "准确率", "성능", "결과"};

}  // namespace

Topic topic_of(std::string_view text) {
  Kinds kinds = 0;
  const std::vector<std::string> words = words_of(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    Kinds of_word = dictionary().with_number(word);
    if (word == "time" && i > 0 && words[i - 1] == "test") of_word &= ~kCost;
    kinds |= of_word;
    if (i + 1 < words.size()) kinds |= dictionary().of(word + words[i + 1]) & (kMetric | kDataset);
  }
  const bool other_scripts = !is_ascii(text);
  if (other_scripts && any_in(text, kWeakParts)) kinds |= kWeak;
  if (words.size() == 1 &&
      std::find(std::begin(kAlone), std::end(kAlone), words[0]) != std::end(kAlone))
    kinds |= kMetric;
  // "# Params", but not "# Value".
  if (text.find('#') < 2 && !(words.size() == 1 && words[0] == "value"))
    kinds = (kinds | kCost) & ~kMetric;
  if (other_scripts && any_in(text, kMetricParts)) kinds |= kMetric;
  Topic topic;
  topic.metric = (kinds & kMetric) != 0;
  topic.dataset = (kinds & kDataset) != 0;
  topic.weak = (kinds & kWeak) != 0;
  topic.cost = (kinds & kCost) != 0;
  return topic;
}

bool announces_results(std::string_view text) {
  for (const std::string& word : words_of(text, 256)) {
    const Kinds kinds = dictionary().of(word);
    if ((kinds & kAnnouncement) != 0) return true;
    if ((kinds & kMetric) != 0 && (kinds & kUsualInProse) == 0) return true;
  }
  return !is_ascii(text) && any_in(text, kAnnouncingParts);
}

}  // namespace tanggul::readers
