/** The vocabulary of plan-mode.ts, English and Chinese (simplified and traditional). */

/** Base forms that begin a task: "check the logs". */
export const ENGLISH_VERBS = new Set(
  `add adjust aggregate analyse analyze announce answer apply archive arrange ask assemble assess assign attach audit
  automate backfill backup benchmark book break build bump buy calculate call cancel categorise categorize change check
  choose clean clear clone close collate collect combine come commit compare compile complete compute configure confirm
  connect contact convert copy correct count create cut cross-check debug decide define delete deploy describe design
  detect determine develop diff discuss document download draft draw drop edit email end enable ensure estimate evaluate
  examine explain explore export extract fetch figure file fill filter find finish fix flag follow format forward gather
  generate get give go group hand highlight hire identify implement import improve inform inspect install integrate
  interview invite invoice investigate keep label launch lay link list load log look mail make map mark match measure
  merge message migrate mock model monitor move negotiate note notify open optimise optimize order organise organize
  outline pack parse patch pay phone pick ping plan plot point polish port post prepare present print prioritise
  prioritize process profile proofread propose prototype prove provide publish pull push put query quiz rank rate read
  rebase rebuild recommend record redesign reduce refactor register reject release remind remove rename renew reorder
  replace reply report reproduce request rerun research reserve resize resolve restart restore return revert review
  revise rewrite roll rotate run save scan schedule score scrape search select send set share shortlist show sign
  simplify sketch solve sort split start store submit suggest sum summarise summarize switch sync tabulate tag take talk
  tell test tidy track train transcribe translate triage trim try turn unsubscribe update upgrade upload validate verify
  visit visualise visualize walk warn watch work wrap write`.split(/\s+/),
);

/** Tasks whose parts are named as things: "organise the offsite: venue, catering, travel". */
export const ENGLISH_PROJECTS =
  /\b(organi[sz]e|prepare|arrange|set up|tackle|audit|build|launch|coordinate|handle|sort out|take care of|review|analysis)\b/i;

export const CHINESE_VERBS =
  `安装|安裝|安排|帮|幫|备份|備份|比较|比較|编|編|标|標|驳|部署|测|測|查|拆|出|创建|創建|处理|處理|
  存|打|打开|導入|导入|導出|导出|登记|登記|调|調|订|訂|定位|读|讀|对比|對比|对照|對照|发|發|翻译|翻譯|分|分析|复核|複核|复制|
  複製|改|搞清楚|搞定|告诉|告訴|给|給|更新|估|估算|关闭|關閉|管理|归类|歸類|规划|規劃|过一遍|過一遍|核对|核對|合并|合併|画|畫|
  换|換|回|汇|彙|匯|计算|計算|记|記|加|监控|監控|检|檢|建|建立|讲|講|交|校对|校對|接|解|解释|解釋|截|进行|進行|开|開|看|考|
  拷|跑|联系|聯繫|聯絡|量|列|录|錄|轮换|輪換|买|買|描述|排|判断|判斷|跑|配置|拼|评|評|起草|清|取|去掉|去除|确认|確認|确定|
  確定|扫|掃|筛|篩|删|刪|上传|上傳|上线|上線|设|設|升|生成|实现|實現|试|試|收集|搜|算|缩|縮|贴|貼|提|替换|替換|填|添加|调查|
  調查|调研|調研|停|通知|同步|统计|統計|推荐|推薦|退订|退訂|挖|完成|完善|维护|維護|问|問|下载|下載|写|寫|修|选|選|训练|訓練|
  验|驗|邀请|邀請|移|优化|優化|预订|預訂|预约|預約|约|約|阅读|閱讀|运行|運行|运|運|整理|找|指定|制|制定|制作|製作|转|
  轉|追|准备|準備|总结|總結|组织|組織|作|做|抓|注册|註冊|取消|重构|重構|重启|重啟|重写|重寫|重新|回复|回覆|回滚|回滾`.replace(
    /\s+/g,
    "",
  );

export const CHINESE_PROJECTS = /(筹备|籌備|准备|準備|组织|組織|安排|搭建|搭|搞定|检查|檢查|策划|策劃|办|辦|装修|裝修)/;
