/**
 * Scripts of the inbound pipeline. JSON goes through them unread: Lua's JSON turns empty lists into objects and rounds
 * long numbers. Run keys are built from a prefix that carries the partition's hash tag.
 */
import type { Script } from "./redis-link.ts";

/** Reads what a message needs to know.
 * KEYS 1 any key of the partition; 2 ref of the message replied to (optional)
 * ARGV 1 session 2 session key prefix 3 queue key prefix 4 run key prefix
 * Result {session} or {session, fields, queue length, active run id or "", {status, askedBy, question}} */
export const lookup: Script = {
  name: "pbLookup",
  lua: `
local session = ARGV[1]
if KEYS[2] then session = redis.call('GET', KEYS[2]) or session end
local fields = redis.call('HGETALL', ARGV[2] .. session)
if #fields == 0 then return {session} end
local active = redis.call('HGET', ARGV[2] .. session, 'active')
local head = {}
if active then head = redis.call('HMGET', ARGV[4] .. active, 'status', 'askedBy', 'question') end
return {session, fields, redis.call('LLEN', ARGV[3] .. session), active or '', head}
`,
};

/** Queues a message once.
 * KEYS 1 session 2 queue 3 waiting 4 sessions 5 seen 6 run
 * ARGV 1 session 2 run id 3 now 4 seen ttl 5 session ttl 6 channel 7 signal 8.. run fields
 * Result place in the queue, 0 = duplicate */
export const accept: Script = {
  name: "pbAccept",
  lua: `
if redis.call('EXISTS', KEYS[5]) == 1 or redis.call('EXISTS', KEYS[6]) == 1 then return 0 end
redis.call('SET', KEYS[5], '1', 'PX', ARGV[4])
redis.call('HSETNX', KEYS[1], 'epoch', '0')
redis.call('HSETNX', KEYS[1], 'createdAt', ARGV[3])
redis.call('HSET', KEYS[1], 'usedAt', ARGV[3])
redis.call('PERSIST', KEYS[1])
redis.call('HSET', KEYS[6], unpack(ARGV, 8))
local place = redis.call('RPUSH', KEYS[2], ARGV[2])
redis.call('ZADD', KEYS[3], 'NX', ARGV[3], ARGV[1])
redis.call('ZADD', KEYS[4], ARGV[3], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', ARGV[3] - ARGV[5])
redis.call('PUBLISH', ARGV[6], ARGV[7])
return place
`,
};

/** Records the answer to the open question.
 * KEYS 1 session 2 waiting 3 sessions 4 seen 5 run
 * ARGV 1 session 2 now 3 seen ttl 4 question id 5 answer 6 channel 7 signal
 * Result taken | closed | duplicate */
export const answer: Script = {
  name: "pbAnswer",
  lua: `
if redis.call('EXISTS', KEYS[4]) == 1 then return 'duplicate' end
local run = redis.call('HMGET', KEYS[5], 'status', 'questionId')
if run[1] ~= '"waiting"' or run[2] ~= ARGV[4] then return 'closed' end
if redis.call('HSETNX', KEYS[5], 'answer', ARGV[5]) == 0 then return 'closed' end
redis.call('SET', KEYS[4], '1', 'PX', ARGV[3])
redis.call('HSET', KEYS[1], 'usedAt', ARGV[2])
redis.call('ZADD', KEYS[2], 'NX', ARGV[2], ARGV[1])
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
redis.call('PUBLISH', ARGV[6], ARGV[7])
return 'taken'
`,
};

/** Replaces the text of a queued message.
 * KEYS 1 run; ARGV 1 edited at 2 text
 * Result edited | too_late | unknown */
export const edit: Script = {
  name: "pbEdit",
  lua: `
local run = redis.call('HMGET', KEYS[1], 'status', 'editedAt')
if not run[1] then return 'unknown' end
if run[1] ~= '"queued"' then return 'too_late' end
if run[2] and tonumber(run[2]) > tonumber(ARGV[1]) then return 'edited' end
redis.call('HSET', KEYS[1], 'editedAt', ARGV[1], 'text', ARGV[2])
return 'edited'
`,
};

/** Adds a message to a run.
 * KEYS 1 run 2 steers 3 seen
 * ARGV 1 steer id 2 steer 3 seen ttl 4 channel 5 signal
 * Result taken | closed | duplicate */
export const steer: Script = {
  name: "pbSteer",
  lua: `
if redis.call('EXISTS', KEYS[3]) == 1 then return 'duplicate' end
local status = redis.call('HGET', KEYS[1], 'status')
if status ~= '"queued"' and status ~= '"running"' then return 'closed' end
redis.call('SET', KEYS[3], '1', 'PX', ARGV[3])
local order = redis.call('HINCRBY', KEYS[1], 'steerOrder', 1)
redis.call('HSET', KEYS[2], ARGV[1], order .. ':' .. ARGV[2])
redis.call('PUBLISH', ARGV[4], ARGV[5])
return 'taken'
`,
};

/** Marks a run that is not over. A waiting one goes on the waiting list, should the caller die before it ends it.
 * KEYS 1 run 2 waiting
 * ARGV 1 session 2 who and when 3 now 4 channel 5 signal
 * Result nothing */
export const requestStop: Script = {
  name: "pbStop",
  lua: `
local status = redis.call('HGET', KEYS[1], 'status')
if status ~= '"queued"' and status ~= '"running"' and status ~= '"waiting"' then return end
redis.call('HSETNX', KEYS[1], 'stop', ARGV[2])
if status == '"waiting"' then redis.call('ZADD', KEYS[2], 'NX', ARGV[3], ARGV[1]) end
redis.call('PUBLISH', ARGV[4], ARGV[5])
`,
};
