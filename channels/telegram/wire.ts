/** The parts of Bot API objects that are read here. All optional: what a platform sends is checked, not believed. */

export interface TgUser {
  id: number;
  is_bot?: boolean;
  first_name?: string;
  last_name?: string;
  username?: string;
}

export interface TgChat {
  id: number;
  type?: string;
  title?: string;
  is_forum?: boolean;
}

/** Offsets and lengths count UTF-16 units, as JavaScript does. */
export interface TgEntity {
  type: string;
  offset: number;
  length: number;
  url?: string;
  user?: TgUser;
}

export interface TgFile {
  file_id: string;
  file_unique_id?: string;
  file_size?: number;
  file_name?: string;
  mime_type?: string;
  width?: number;
  height?: number;
}

export interface TgMessage {
  message_id: number;
  chat: TgChat;
  from?: TgUser;
  sender_chat?: TgChat;
  date?: number;
  edit_date?: number;
  message_thread_id?: number;
  is_topic_message?: boolean;
  text?: string;
  entities?: TgEntity[];
  caption?: string;
  caption_entities?: TgEntity[];
  reply_to_message?: TgMessage;
  quote?: { text?: string };
  forward_origin?: object;
  forward_date?: number;
  is_automatic_forward?: boolean;
  via_bot?: TgUser;
  forum_topic_created?: object;
  migrate_to_chat_id?: number;
  migrate_from_chat_id?: number;
  photo?: TgFile[];
  document?: TgFile;
  voice?: TgFile;
  audio?: TgFile;
  video?: TgFile;
  video_note?: TgFile;
}

export interface TgCallback {
  id: string;
  from: TgUser;
  data?: string;
  /** Only `chat` and `message_id` when the message is too old. */
  message?: TgMessage;
}

export interface TgUpdate {
  update_id: number;
  message?: TgMessage;
  edited_message?: TgMessage;
  callback_query?: TgCallback;
}

/** Everything else is not asked for: Telegram then neither sends nor stores it for us. */
export const ALLOWED_UPDATES = ["message", "edited_message", "callback_query"] as const;

export interface TgMe extends TgUser {
  can_join_groups?: boolean;
  can_read_all_group_messages?: boolean;
}

export interface TgWebhookInfo {
  url?: string;
  pending_update_count?: number;
  last_error_message?: string;
}
