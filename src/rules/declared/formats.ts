/** Formats that are patterns. The engine knows dates and uuid. */
import type { DeclaredFormat } from './document.ts';

const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const IPV4 = `${OCTET}(?:\\.${OCTET}){3}`;
const H16 = '[0-9A-Fa-f]{1,4}';
const LS32 = `(?:${H16}:${H16}|${IPV4})`;

/** RFC 3986, section 3.2.2: groups before the `::`, at most `most`, and as many behind it as are left. */
const IPV6 = `(?:${[
  `(?:${H16}:){6}${LS32}`,
  `::(?:${H16}:){5}${LS32}`,
  ...[4, 3, 2, 1].map((behind, i) => `(?:(?:${H16}:){0,${i}}${H16})?::(?:${H16}:){${behind}}${LS32}`),
  `(?:(?:${H16}:){0,4}${H16})?::${LS32}`,
  `(?:(?:${H16}:){0,5}${H16})?::${H16}`,
  `(?:(?:${H16}:){0,6}${H16})?::`,
].join('|')})`;

/**
 * RFC 5321 with at least one dot in a name, in ASCII. A label has at most 63 octets (RFC 1035, section 2.3.4). Those of a local part are not counted: a pattern that
 * counts them and also knows where a dot may be has 10,000 places.
 */
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const QUOTED = '"(?:[ !#-\\[\\]-~]|\\\\[ -~])*"';
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const EMAIL = `(?:${ATOM}(?:\\.${ATOM})*|${QUOTED})@(?:${LABEL}(?:\\.${LABEL})+|\\[(?:${IPV4}|IPv6:${IPV6})\\])`;

/** RFC 3986, with a scheme. */
const PERCENT = '%[0-9A-Fa-f]{2}';
const NAME = "A-Za-z0-9._~!$&'()*+,;=\\-";
const many = (characters: string) => `(?:[${characters}]|${PERCENT})*`;
const HOST = `(?:\\[(?:${IPV6}|[vV][0-9A-Fa-f]+\\.[${NAME}:]+)\\]|${many(NAME)})`;
const AUTHORITY = `(?:${many(`${NAME}:`)}@)?${HOST}(?::[0-9]*)?`;
const SEGMENT = `(?:[${NAME}:@]|${PERCENT})`;
const PATH = many(`${NAME}:@/`);
const URI = `[A-Za-z][A-Za-z0-9+.-]*:(?://${AUTHORITY}(?:/${PATH})?|/(?:${SEGMENT}${PATH})?|${SEGMENT}${PATH}|)(?:\\?${many(`${NAME}:@/?`)})?(?:#${many(`${NAME}:@/?`)})?`;

/** ISO 3166-1 alpha-2. */
const COUNTRIES =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW';

/** ISO 4217: the list of 2026-01-01, and what left it since 2020 and is in older data (ANG, BGN, CUC, HRK, SLL, ZWL). */
const CURRENCIES =
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XBA XBB XBC XBD XCD XCG XDR XOF XPD XPF XPT XSU XTS XUA XXX YER ZAR ZMW ZWG ZWL';

const whole = (pattern: string): string => `^(?:${pattern})$`;
const oneOf = (words: string): string => whole(words.replaceAll(' ', '|'));

/** Patterns of the formats that have one. */
export const FORMAT_PATTERNS: Readonly<Partial<Record<DeclaredFormat, string>>> = {
  email: whole(EMAIL),
  uri: whole(URI),
  ipv4: whole(IPV4),
  ipv6: whole(IPV6),
  country: oneOf(COUNTRIES),
  currency: oneOf(CURRENCIES),
};
