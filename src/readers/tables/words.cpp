#include "readers/tables/words.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

namespace tanggul::readers {
namespace {

using Words = std::unordered_set<std::string_view>;

// Of a literal, parted by blanks.
Words set_of(std::string_view text) {
  Words all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    all.insert(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

const Words kMetrics = set_of(
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
    "hallucination ndcg10");

const Words kDatasets = set_of(
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
    "drive");

const Words kWeak = set_of(
    "val valid validation test dev minival avg average mean overall result results eval std "
    "r2 rank rate ratio delta easy medium hard clean other seen unseen novel");

const Words kCosts = set_of(
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
    "stride channels padding rounds examples entities speakers languages bytes");

// Lists that are read as words only where they are all that a cell says.
const Words kAlone = set_of("is f p r d1 far hd sr spl");

bool among(const Words& words, std::string_view word) {
  if (words.contains(word)) return true;
  const std::size_t end = word.find_last_not_of("0123456789");
  return end != std::string_view::npos && end + 1 < word.size() && end > 0 &&
         words.contains(word.substr(0, end + 1));
}

}  // namespace

std::vector<std::string> words_of(std::string_view text, std::size_t most) {
  std::vector<std::string> words;
  bool fresh = true;
  for (const char c : text.substr(0, 2048)) {
    const bool letter = (c | 32) >= 'a' && (c | 32) <= 'z', digit = c >= '0' && c <= '9';
    if (!letter && !digit && static_cast<unsigned char>(c) < 0x80) {
      fresh = true;
      continue;
    }
    if (fresh && words.size() == most) return words;
    if (fresh) words.emplace_back();
    fresh = false;
    words.back() += letter ? static_cast<char>(c | 32) : c;
  }
  return words;
}

Topic topic_of(std::string_view text) {
  Topic topic;
  const std::vector<std::string> words = words_of(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string pair = i + 1 < words.size() ? word + words[i + 1] : std::string();
    topic.metric = topic.metric || among(kMetrics, word) || kMetrics.contains(pair);
    topic.dataset = topic.dataset || among(kDatasets, word) || kDatasets.contains(pair);
    topic.weak = topic.weak || kWeak.contains(word);
    const bool test_time = word == "time" && i > 0 && words[i - 1] == "test";
    topic.cost = topic.cost || (kCosts.contains(word) && !test_time);
  }
  for (const std::string_view part :
       {"开发集", "测试集", "验证集", "挑战集", "平均", "テスト", "開発"})
    topic.weak = topic.weak || text.find(part) != std::string_view::npos;
  if (words.size() == 1 && kAlone.contains(words[0])) topic.metric = true;
  // "# Params", but not "# Value".
  if (text.find('#') < 2 && !(words.size() == 1 && words[0] == "value"))
    topic.cost = true, topic.metric = false;
  for (const std::string_view measured : {"命中率", "ヒット率", "カバー率", "正确率", "准确率",
                                          "精度", "得分", "评测", "精度率", "召回率", "정확도"})
    topic.metric = topic.metric || text.find(measured) != std::string_view::npos;
  return topic;
}

bool announces_results(std::string_view text) {
  static const Words kAnnounce = set_of(
      "result results performance performances evaluation evaluations evaluated benchmark "
      "benchmarks leaderboard comparison comparisons comparing compare compared scores score "
      "outperforms outperform accuracies achieves achieve metrics metric quantitative sota "
      "reproduction reproduced ablation evaluate");
  const std::vector<std::string> words = words_of(text, 256);
  if (std::any_of(words.begin(), words.end(),
                  [](const std::string& w) { return kAnnounce.contains(w); }))
    return true;
  static const Words kNotInProse = set_of(
      "top win error errors exact loss far math drop race success performance quality hits "
      "pass arc pile seed drive cars pets traffic weather exchange epic bird spider flowers");
  if (std::any_of(words.begin(), words.end(), [](const std::string& w) {
        return kMetrics.contains(w) && !kNotInProse.contains(w);
      }))
    return true;
  for (const std::string_view measured : {"效果", "対比", "对比", "结果", "性能", "评测", "评估",
                                          "結果", "評価", "比较", "准确率", "성능", "결과"})
    if (text.find(measured) != std::string_view::npos) return true;
  return false;
}

}  // namespace tanggul::readers
