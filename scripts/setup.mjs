// Brings a fresh checkout to the point where Node can run src/main.ts. Plain JavaScript without dependencies,
// because it runs before anything is installed and on Node 20 as well.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

export const root = path.dirname(import.meta.dirname);

/** First version with type stripping on by default and node:sqlite without a flag. */
const NEEDED = [22, 18];
const BUNDLED = path.join(root, "node_modules", ".bin", process.platform === "win32" ? "node.cmd" : "node");

/** Installs what is missing and returns the Node binary to run the project with. */
export function setUp() {
  if (!isInstalled()) install();
  const node = findNode() ?? repairNode() ?? runningNode();
  if (node) return node;
  fail(`Node ${NEEDED.join(".")} or newer is needed and could not be installed; this is ${process.version}.`);
}

export function say(text) {
  process.stderr.write(`${text}\n`);
}

export function fail(text) {
  say(text);
  process.exit(1);
}

// Versions are compared, not times: git touches package-lock.json without changing it. What is missing on this
// platform only (optional packages) does not count.
function isInstalled() {
  const wanted = packagesOf(path.join(root, "package-lock.json"));
  const present = packagesOf(path.join(root, "node_modules", ".package-lock.json"));
  return Object.entries(wanted).every(
    ([name, entry]) => name === "" || entry.optional || present[name]?.version === entry.version,
  );
}

function packagesOf(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).packages : {};
}

// Warnings that npm itself runs on an older Node than the bridge would fill the screen at the first start.
const QUIETLY = ["--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];

function install() {
  say("Installing dependencies (npm ci) …");
  if (npm(["ci", ...QUIETLY])) return;
  say("npm ci failed; trying npm install, which may change package-lock.json …");
  if (npm(["install", ...QUIETLY])) return;
  fail("The dependencies could not be installed; npm's message is above. Check the network and run this again.");
}

function findNode() {
  return isNewEnough(BUNDLED) ? BUNDLED : undefined;
}

// `npm ci --ignore-scripts` leaves the `node` package without its binary, and npm then falls back to an old Node.
function repairNode() {
  if (!existsSync(path.join(root, "node_modules", "node"))) return undefined;
  say("Fetching the Node binary that install scripts would have fetched (npm rebuild node) …");
  npm(["rebuild", "node", "--ignore-scripts=false"]);
  return findNode();
}

function runningNode() {
  return isNewEnough(process.execPath) ? process.execPath : undefined;
}

function isNewEnough(binary) {
  const { stdout, status } = spawnSync(binary, ["--version"], {
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) return false;
  const [major, minor] = stdout.slice(1).split(".").map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

// npm must not run on the Node inside node_modules, which `npm ci` deletes first. Its output goes to standard error:
// standard output belongs to the program that runs next.
function npm(args) {
  const env = { ...process.env, PATH: outsidePath() };
  const { status } = spawnSync("npm", args, {
    cwd: root,
    env,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  return status === 0;
}

function outsidePath() {
  const inside = path.join(root, "node_modules");
  return (process.env.PATH ?? "")
    .split(path.delimiter)
    .filter((dir) => !dir.startsWith(inside))
    .join(path.delimiter);
}
