export type OutboxMail = { id: string; sentAt: number; eml: string };

export type OutboxSms = { id: string; sentAt: number; to: string; text: string };
