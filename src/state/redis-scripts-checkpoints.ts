/**
 * Scripts on checkpoints. All keys of a thread share its hash tag.
 * KEYS, the same for each: 1 ids (sorted set, all score 0: newest last, ids sort by time)
 * 2 links (hash: id -> lines: parent, delta channels, then `writer/channel` of each value)
 * 3 bodies (hash: b:<id>, m:<id>) 4 values (hash: writer/channel) 5 write index (sorted set of the fields of 6)
 * 6 writes (hash: checkpoint/task/idx -> path/channel/type:body) 7 namespaces (set)
 * ARGV 1 of each: ttl. Names in fields are URI-encoded, so `/` separates.
 */
import type { Script } from "./redis-link.ts";

const TOUCH = `
local function touch() for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[1]) end end
`;

const READ = `${TOUCH}
-- wanted: set of channels, or nil for all
local function read(id, wanted)
  local links = redis.call('HGET', KEYS[2], id)
  if not links then return nil end
  local values, writes, line = {}, {}, 0
  for text in string.gmatch(links, '([^\\n]*)\\n') do
    line = line + 1
    if line > 2 and (not wanted or wanted[string.match(text, '/(.*)$')]) then
      values[#values + 1] = text
      values[#values + 1] = redis.call('HGET', KEYS[4], text)
    end
  end
  for _, field in ipairs(redis.call('ZRANGEBYLEX', KEYS[5], '[' .. id .. '/', '(' .. id .. '0')) do
    local write = redis.call('HGET', KEYS[6], field)
    if write and (not wanted or wanted[string.match(write, '^[^/]*/([^/]*)/')]) then
      writes[#writes + 1] = field
      writes[#writes + 1] = write
    end
  end
  local bodies = redis.call('HMGET', KEYS[3], 'b:' .. id, 'm:' .. id)
  return {id, links, bodies[1], bodies[2], values, writes}
end
`;

/** ARGV 2.. ids; none = the newest
 * Result {id, links, body, metadata, {field, value ...}, {field, write ...}} of each that exists */
export const load: Script = {
  name: "pbCheckpointLoad",
  lua: `${READ}
local ids, found = {unpack(ARGV, 2)}, {}
if #ids == 0 then ids = redis.call('ZRANGE', KEYS[1], 0, 0, 'REV') end
for _, id in ipairs(ids) do found[#found + 1] = read(id) end
touch()
return found
`,
};

/** ARGV 2 first id 3 count 4.. channels
 * Result as of load: the first and its ancestors, with only those channels */
export const chain: Script = {
  name: "pbCheckpointChain",
  lua: `${READ}
local wanted, found, id = {}, {}, ARGV[2]
for i = 4, #ARGV do wanted[ARGV[i]] = true end
while id ~= '' and #found < tonumber(ARGV[3]) do
  local one = read(id, wanted)
  if not one then break end
  found[#found + 1] = one
  id = string.match(one[2], '^([^\\n]*)\\n')
end
touch()
return found
`,
};

/** ARGV 2 namespace 3 id 4 parent or "" 5 delta channels 6 body 7 metadata 8 number of carried channels, then those, then
 * channel, value ...
 * Result number of checkpoints in the namespace */
export const put: Script = {
  name: "pbCheckpointPut",
  lua: `${TOUCH}
local id, carried, line = ARGV[3], {}, 0
local links = ARGV[4] .. '\\n' .. ARGV[5] .. '\\n'
local first = 9 + tonumber(ARGV[8])
for i = 9, first - 1 do carried[ARGV[i]] = true end
for text in string.gmatch(redis.call('HGET', KEYS[2], ARGV[4]) or '', '([^\\n]*)\\n') do
  line = line + 1
  if line > 2 and carried[string.match(text, '/(.*)$')] then links = links .. text .. '\\n' end
end
for i = first, #ARGV, 2 do
  local field = id .. '/' .. ARGV[i]
  redis.call('HSET', KEYS[4], field, ARGV[i + 1])
  links = links .. field .. '\\n'
end
redis.call('HSET', KEYS[2], id, links)
redis.call('HSET', KEYS[3], 'b:' .. id, ARGV[6], 'm:' .. id, ARGV[7])
redis.call('ZADD', KEYS[1], 0, id)
redis.call('SADD', KEYS[7], ARGV[2])
touch()
return redis.call('ZCARD', KEYS[1])
`,
};

/** ARGV 2 namespace, then field, write, "1" = replace ...
 * Result nothing */
export const putWrites: Script = {
  name: "pbCheckpointWrites",
  lua: `${TOUCH}
for i = 3, #ARGV, 3 do
  redis.call(ARGV[i + 2] == '1' and 'HSET' or 'HSETNX', KEYS[6], ARGV[i], ARGV[i + 1])
  redis.call('ZADD', KEYS[5], 0, ARGV[i])
end
redis.call('SADD', KEYS[7], ARGV[2])
touch()
`,
};

/** Removes checkpoints, and the values that no other one refers to.
 * ARGV 2 number of ids, then those, then the fields of values to keep
 * Result nothing */
export const retain: Script = {
  name: "pbCheckpointRetain",
  lua: `
local last, kept = 2 + tonumber(ARGV[2]), {}
for i = 3, last do
  local id = ARGV[i]
  redis.call('ZREM', KEYS[1], id)
  redis.call('HDEL', KEYS[2], id)
  redis.call('HDEL', KEYS[3], 'b:' .. id, 'm:' .. id)
  for _, field in ipairs(redis.call('ZRANGEBYLEX', KEYS[5], '[' .. id .. '/', '(' .. id .. '0')) do
    redis.call('HDEL', KEYS[6], field)
    redis.call('ZREM', KEYS[5], field)
  end
end
for i = last + 1, #ARGV do kept[ARGV[i]] = true end
for _, field in ipairs(redis.call('HKEYS', KEYS[4])) do
  if not kept[field] then redis.call('HDEL', KEYS[4], field) end
end
`,
};
