import { isSmall, joinMaps } from '../platform/json.ts';
import type { Profile } from './shopper.repo.ts';

type Json = Record<string, unknown>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Answers by medium are answers of their own: one about text messages fills what only says something of e-mails. */
function fillPrefs(own: Json, given: Json): Json {
  const [mine, theirs] = [own['Mediums'], given['Mediums']];
  if (!isObject(mine) || !isObject(theirs)) return joinMaps(own, given);
  const filled = { ...own, Mediums: { ...theirs, ...mine } };
  // Where the answers of both are too large together, the account's own are kept.
  return joinMaps(isSmall(filled) ? filled : own, given);
}

/** An account's profile with what a guest's fills of it. Whoever has answered about marketing keeps that answer. */
export function fillProfile(own: Profile, given: Profile): Profile {
  const hasAnswered = own.acc_mkt || Object.keys(own.prefs).length > 0;
  return {
    fname: own.fname || given.fname,
    lname: own.lname || given.lname,
    m: own.m ?? given.m,
    sw_mkt: own.sw_mkt ?? given.sw_mkt,
    ut: own.ut ?? given.ut,
    acc_mkt: hasAnswered ? own.acc_mkt : given.acc_mkt,
    extags: own.extags.length > 0 ? own.extags : given.extags,
    prefs: fillPrefs(own.prefs, given.prefs),
    pd: joinMaps(own.pd, given.pd),
  };
}

/** Whether nothing is known of a shopper. */
export function isBlankProfile({
  fname,
  lname,
  m,
  sw_mkt,
  ut,
  acc_mkt,
  extags,
  prefs,
  pd,
}: Profile): boolean {
  const hasMore = [prefs, pd].some((object) => Object.keys(object).length > 0);
  return !(fname || lname || m || sw_mkt || ut || acc_mkt || extags.length > 0 || hasMore);
}
