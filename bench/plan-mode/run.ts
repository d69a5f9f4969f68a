import { isRight, readMessages, score } from "./measure.ts";

const percent = (share: number) => `${(share * 100).toFixed(1)} %`.padStart(9);
const messages = readMessages();
const print = (line: string) => void process.stdout.write(`${line}\n`);

print("half    lang  messages  accuracy precision    recall");
for (const half of ["tune", "report"]) {
  for (const lang of ["en", "zh", "all"]) {
    const it = score(messages, half, lang);
    const head = `${half.padEnd(7)} ${lang.padEnd(5)} ${String(it.messages).padStart(8)}`;
    print(`${head} ${percent(it.accuracy)} ${percent(it.precision)} ${percent(it.recall)}`);
  }
}

// Only the tune half is shown: whoever works on the classifier must not see what it misses in the other one.
for (const it of messages.filter((one) => one.half === "tune" && !isRight(one))) {
  print(`missed (tune, should be ${it.plan ? "plan" : "no plan"}): ${JSON.stringify(it.text)}`);
}
