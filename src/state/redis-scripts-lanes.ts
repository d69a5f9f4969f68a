/** Scripts of the lane that works on a session. */
import type { Script } from "./redis-link.ts";

/** Lets the session expire once it has no work. S session, Q queue. */
const SETTLE = `
local function settle(S, Q, ttl)
  if redis.call('HEXISTS', S, 'active') == 1 or redis.call('EXISTS', Q) == 1 then redis.call('PERSIST', S)
  else redis.call('PEXPIRE', S, ttl) end
end
`;

/** Takes the lane and its next work. A call that is sent again (same token) gets the same run uncounted.
 * KEYS 1 session 2 queue 3 waiting 4 active
 * ARGV 1 session 2 run key prefix 3 session ttl 4 owner 5 now 6 until 7 token
 * Result {"run", fields} | {"busy"} | {"idle"} */
export const begin: Script = {
  name: "pbBegin",
  lua: `${SETTLE}
local S, Q, W, A = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local lane = redis.call('HMGET', S, 'owner', 'until', 'active', 'token')
if lane[1] and lane[1] ~= ARGV[4] and tonumber(lane[2]) > tonumber(ARGV[5]) then return {'busy'} end

local function hold(id, key, counted)
  redis.call('HSET', S, 'owner', ARGV[4], 'until', ARGV[6], 'active', id, 'token', ARGV[7])
  redis.call('HSET', key, 'status', '"running"')
  redis.call('HSETNX', key, 'startedAt', ARGV[5])
  if counted then redis.call('HINCRBY', key, 'attempt', 1) end
  redis.call('PERSIST', S)
  redis.call('ZADD', W, 'NX', ARGV[5], ARGV[1])
  redis.call('ZADD', A, 'NX', ARGV[5], key)
  return {'run', redis.call('HGETALL', key)}
end

local function idle()
  redis.call('HDEL', S, 'owner', 'until', 'token')
  redis.call('ZREM', W, ARGV[1])
  settle(S, Q, ARGV[3])
  return {'idle'}
end

local id = lane[3]
if id then
  local key = ARGV[2] .. id
  local run = redis.call('HMGET', key, 'status', 'answer', 'stop')
  if run[1] == '"running"' then return hold(id, key, lane[4] ~= ARGV[7]) end
  if run[1] == '"waiting"' and (run[2] or run[3]) then return hold(id, key, false) end
  if run[1] == '"waiting"' then return idle() end
  redis.call('HDEL', S, 'active')
  redis.call('ZREM', A, key)
end
id = redis.call('LPOP', Q)
while id do
  local key = ARGV[2] .. id
  if redis.call('HGET', key, 'status') == '"queued"' then return hold(id, key, true) end
  id = redis.call('LPOP', Q)
end
return idle()
`,
};

/** KEYS 1 session; ARGV 1 owner 2 until
 * Result 1 = kept, 0 = lost */
export const renew: Script = {
  name: "pbRenew",
  lua: `
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'until', ARGV[2])
return 1
`,
};

/** Gives the lane back; the session stays on the waiting list if it has work.
 * KEYS 1 session 2 queue 3 waiting
 * ARGV 1 session 2 owner 3 session ttl
 * Result nothing */
export const release: Script = {
  name: "pbRelease",
  lua: `${SETTLE}
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[2] then return end
redis.call('HDEL', KEYS[1], 'owner', 'until', 'token')
if redis.call('HEXISTS', KEYS[1], 'active') == 0 and redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('ZREM', KEYS[3], ARGV[1])
end
settle(KEYS[1], KEYS[2], ARGV[3])
`,
};

/** Replaces fields of a run that exists: a late save must not bring an expired run back.
 * KEYS 1 run; ARGV 1 number of arguments to set, then field, value ..., then fields to remove
 * Result nothing */
export const saveRun: Script = {
  name: "pbSave",
  lua: `
if redis.call('EXISTS', KEYS[1]) == 0 then return end
local last = 1 + tonumber(ARGV[1])
if last > 1 then redis.call('HSET', KEYS[1], unpack(ARGV, 2, last)) end
if #ARGV > last then redis.call('HDEL', KEYS[1], unpack(ARGV, last + 1)) end
`,
};

/** The run waits for a person. A stop that was asked for meanwhile keeps it on the waiting list.
 * KEYS 1 session 2 waiting 3 run
 * ARGV 1 session 2 run id 3 owner 4 question 5 question id
 * Result 1 = parked, 0 = lease lost */
export const park: Script = {
  name: "pbPark",
  lua: `
local run = redis.call('HMGET', KEYS[3], 'status', 'questionId', 'stop')
if run[1] == '"waiting"' and run[2] == ARGV[5] then return 1 end
local lane = redis.call('HMGET', KEYS[1], 'owner', 'active')
if not run[1] or lane[1] ~= ARGV[3] or lane[2] ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[3], 'status', '"waiting"', 'question', ARGV[4], 'questionId', ARGV[5])
redis.call('HDEL', KEYS[3], 'answer')
redis.call('HDEL', KEYS[1], 'owner', 'until', 'token')
if not run[3] then redis.call('ZREM', KEYS[2], ARGV[1]) end
return 1
`,
};

/** Ends the active run; the lane stays with its owner until begin finds nothing more.
 * KEYS 1 session 2 active 3 run 4 steers
 * ARGV 1 run id 2 owner 3 status 4 now 5 run ttl
 * Result finished | steered | lease_lost */
export const finish: Script = {
  name: "pbFinish",
  lua: `
local lane = redis.call('HMGET', KEYS[1], 'owner', 'active')
local status = redis.call('HGET', KEYS[3], 'status')
if not status or lane[1] ~= ARGV[2] then return 'lease_lost' end
if lane[2] ~= ARGV[1] then return status == ARGV[3] and 'finished' or 'lease_lost' end
if redis.call('EXISTS', KEYS[4]) == 1 then return 'steered' end
redis.call('HSET', KEYS[3], 'status', ARGV[3], 'endedAt', ARGV[4])
redis.call('PEXPIRE', KEYS[3], ARGV[5])
redis.call('HDEL', KEYS[1], 'active', 'token')
redis.call('ZREM', KEYS[2], KEYS[3])
return 'finished'
`,
};

/** Ends a run that no worker owns.
 * KEYS 1 session 2 queue 3 waiting 4 active 5 run 6 steers
 * ARGV 1 session 2 run id 3 status 4 now 5 run ttl 6 session ttl 7 channel 8 signal
 * Result 1 = dropped, 0 = running or over */
export const drop: Script = {
  name: "pbDrop",
  lua: `${SETTLE}
local S, Q, W, A, R = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local status = redis.call('HGET', R, 'status')
if status ~= '"queued"' and status ~= '"waiting"' then return 0 end
redis.call('HSET', R, 'status', ARGV[3], 'endedAt', ARGV[4])
redis.call('PEXPIRE', R, ARGV[5])
redis.call('DEL', KEYS[6])
redis.call('LREM', Q, 0, ARGV[2])
redis.call('ZREM', A, R)
if redis.call('HGET', S, 'active') == ARGV[2] then redis.call('HDEL', S, 'active', 'token') end
if redis.call('HEXISTS', S, 'active') == 0 then
  if redis.call('EXISTS', Q) == 1 then redis.call('ZADD', W, 'NX', ARGV[4], ARGV[1])
  else redis.call('ZREM', W, ARGV[1]) end
end
settle(S, Q, ARGV[6])
redis.call('PUBLISH', ARGV[7], ARGV[8])
return 1
`,
};

/** Sessions of a partition that need a lane.
 * KEYS 1 waiting; ARGV 1 session key prefix 2 now 3 limit
 * Result {session, since, session, since, ...} */
export const waiting: Script = {
  name: "pbWaiting",
  lua: `
local found = {}
local listed = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 1, #listed, 2 do
  local lane = redis.call('HMGET', ARGV[1] .. listed[i], 'owner', 'until')
  if not lane[1] or tonumber(lane[2]) <= tonumber(ARGV[2]) then
    found[#found + 1] = listed[i]
    found[#found + 1] = listed[i + 1]
    if #found >= 2 * tonumber(ARGV[3]) then break end
  end
end
return found
`,
};

/** Changes what people set about a session; creates it if new.
 * KEYS 1 session 2 queue 3 sessions
 * ARGV 1 session 2 now 3 session ttl 4 added to the epoch 5 number of arguments to set, then field, value ..., then
 * fields to remove
 * Result the session's fields */
export const changeSession: Script = {
  name: "pbSession",
  lua: `${SETTLE}
redis.call('HSETNX', KEYS[1], 'createdAt', ARGV[2])
redis.call('HSET', KEYS[1], 'usedAt', ARGV[2])
redis.call('HINCRBY', KEYS[1], 'epoch', ARGV[4])
local last = 5 + tonumber(ARGV[5])
if last > 5 then redis.call('HSET', KEYS[1], unpack(ARGV, 6, last)) end
if #ARGV > last then redis.call('HDEL', KEYS[1], unpack(ARGV, last + 1)) end
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
settle(KEYS[1], KEYS[2], ARGV[3])
return redis.call('HGETALL', KEYS[1])
`,
};
