/** Scripts on settings, limits and counters. */

import type { Script } from "./redis-link.ts";
import { MAX_AUDITS } from "./retention.ts";

/** Sets or removes one setting and writes its audit entry, with the old value put in front if the entry has none.
 * KEYS 1 settings 2 audits
 * ARGV 1 name 2 value, "" = remove 3 audit entry 4 "1" = the entry says what was before
 * Result the old value or nothing */
export const setSetting: Script = {
  name: "pbSetting",
  lua: `
local old = redis.call('HGET', KEYS[1], ARGV[1])
if ARGV[2] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) end
local entry = ARGV[3]
if old and ARGV[4] ~= '1' then entry = '{"old":' .. old .. ',' .. string.sub(entry, 2) end
redis.call('LPUSH', KEYS[2], entry)
redis.call('LTRIM', KEYS[2], 0, ${MAX_AUDITS - 1})
return old
`,
};

/** KEYS 1 audits; ARGV 1 entry */
export const audit: Script = {
  name: "pbAudit",
  lua: `
redis.call('LPUSH', KEYS[1], ARGV[1])
redis.call('LTRIM', KEYS[1], 0, ${MAX_AUDITS - 1})
`,
};

/** gcra.ts in Lua.
 * KEYS 1 pace; ARGV 1 burst 2 per ms 3 now 4 reserve
 * Result milliseconds to wait, 0 = taken */
export const take: Script = {
  name: "pbTake",
  lua: `
local burst, now = tonumber(ARGV[1]), tonumber(ARGV[3])
local interval = tonumber(ARGV[2]) / burst
local usable = math.max(1, burst - tonumber(ARGV[4]))
local tat = tonumber(redis.call('GET', KEYS[1]) or '0')
local next = math.max(tat, now) + interval
local wait = math.ceil(next - usable * interval - now - 0.01)
if wait > 0 then return wait end
redis.call('SET', KEYS[1], string.format('%.4f', next), 'PX', math.ceil(next - now))
return 0
`,
};

/** KEYS 1 item; ARGV 1 by 2 ttl
 * Result the total */
export const count: Script = {
  name: "pbCount",
  lua: `
if ARGV[1] == '0' then return tonumber(redis.call('GET', KEYS[1]) or '0') end
local known = redis.call('EXISTS', KEYS[1])
local total = redis.call('INCRBY', KEYS[1], ARGV[1])
if known == 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return total
`,
};
