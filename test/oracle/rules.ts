/** Declared rules checked one row after another, by slow and obvious code. */
import { isIPv4, isIPv6 } from 'node:net';
import { DateForm, DateOrder, DateStyle } from '../../assembly/abi-dates.ts';
import type { Condition, Constraint, DeclaredRules } from '../../src/rules/declared/constraint.ts';
import type { Scalar } from '../../src/rules/declared/document.ts';
import type { Batch, Cell } from './batch.ts';
import { dateOf } from './date-time.ts';
import { exactNumber, exactOrder } from './exact.ts';

type Value = Cell | undefined;

const isThere = (value: Value): value is Cell => value !== undefined && value.type !== 'null';

/** Rows by rule; null for a rule that the batch violates as a whole. Those that hold are missing. */
export function violatedBy(
  batch: Batch,
  rules: DeclaredRules,
  isCsv: boolean,
  now = 0,
): Map<string, number[] | null> {
  const look = new Look(batch, isCsv);
  const violated = new Map<string, number[] | null>();
  for (const constraint of rules.constraints) {
    const condition = constraint.condition === null ? null : rules.conditions[constraint.condition]!;
    const chosen = batch.rows.keys().filter(row => condition === null || look.holds(condition, row));
    const rows = [...chosen];
    if (rows.length === 0) continue;
    if (OF_BATCH.includes(constraint.kind)) {
      if (look.isViolated(constraint, rows, now)) violated.set(constraint.rule, null);
      continue;
    }
    const fails = rows.filter(row => look.fails(constraint, row, rows));
    const { tolerance } = constraint;
    const measure = tolerance < 1 ? fails.length / rows.length : fails.length;
    if (fails.length > 0 && measure > tolerance) violated.set(constraint.rule, fails);
  }
  return violated;
}

const OF_BATCH = ['required', 'max_null_rate', 'max_age', 'min_rows', 'max_rows', 'closed', 'statistic'];

class Look {
  constructor(
    readonly batch: Batch,
    readonly isCsv: boolean,
  ) {}

  cell(field: string, row: number): Value {
    return this.batch.rows[row]!.get(field);
  }

  /** In CSV all values are texts. */
  text(value: Cell): string | null {
    return value.type === 'string' || this.isCsv ? value.text : null;
  }

  number(value: Cell): number | null {
    if (value.type === 'number') return value.number;
    const isNumber =
      this.isCsv && value.type === 'string' && /^ *[+-]?\d+(\.\d+)?(e[+-]?\d+)? *$/i.test(value.text);
    return isNumber ? Number(value.text) : null;
  }

  boolean(value: Cell): boolean | null {
    const isWord = value.type === 'boolean' || (this.isCsv && /^(true|false)$/i.test(value.text));
    return isWord ? value.text.toLowerCase() === 'true' : null;
  }

  date(text: string, field: string | null): number | null {
    return dateOf(text, field === null ? DateOrder.UNKNOWN : this.order(field))?.time ?? null;
  }

  order(field: string): DateOrder {
    for (const row of this.batch.rows) {
      const value = row.get(field);
      const read = value?.type === 'string' ? dateOf(value.text, DateOrder.UNKNOWN) : null;
      if (!read) continue;
      const style = read.form & DateForm.STYLE;
      if (style === DateStyle.DAY_SLASHED || style === DateStyle.DAY_DASHED) return DateOrder.DAY_FIRST;
      if (style === DateStyle.MONTH_SLASHED || style === DateStyle.MONTH_DASHED) return DateOrder.MONTH_FIRST;
      if (style === DateStyle.ISO) return DateOrder.UNKNOWN;
    }
    return DateOrder.UNKNOWN;
  }

  isOneOf(value: Cell, allowed: readonly Scalar[]): boolean {
    return allowed.some(each => {
      if (typeof each === 'boolean') return this.boolean(value) === each;
      return typeof each === 'string' ? this.text(value) === each : this.number(value) === each;
    });
  }

  holds(condition: Condition, row: number): boolean {
    const value = this.cell(condition.field, row);
    if ('null' in condition) return isThere(value) !== condition.null;
    return isThere(value) && this.isOneOf(value, condition.values);
  }

  isViolated(constraint: Constraint, chosen: readonly number[], now: number): boolean {
    const { rows, names } = this.batch;
    const cells = constraint.field === null ? [] : chosen.map(row => this.cell(constraint.field!, row));
    const values = cells.filter(isThere);
    switch (constraint.kind) {
      case 'required':
        return cells.every(cell => cell === undefined);
      case 'max_null_rate':
        return (cells.length - values.length) / cells.length > constraint.expected;
      case 'max_age': {
        const dates = values.flatMap(value => this.moment(value, constraint.field!) ?? []);
        return values.length > 0 && (dates.length === 0 || now - Math.max(...dates) > constraint.ageMs);
      }
      case 'min_rows':
        return rows.length < constraint.expected;
      case 'max_rows':
        return rows.length > constraint.expected;
      case 'closed':
        return names.some(name => !constraint.names.includes(name));
      case 'statistic': {
        const found = STATISTICS[constraint.statistic]!(values, cells.length);
        const { minimum = -Infinity, maximum = Infinity } = constraint.expected;
        const least = minimum - Math.abs(minimum) / 1e6;
        const most = maximum + Math.abs(maximum) / 1e6;
        // NaN if the field has no numbers: then both comparisons are false.
        return found < least || found > most;
      }
      default:
        throw new Error(`no oracle of ${constraint.kind}`);
    }
  }

  /** A date, or a number that is seconds or milliseconds of the years 1990 to 2100. */
  moment(value: Cell, field: string): number | null {
    const [first, last] = [Date.UTC(1990), Date.UTC(2100)];
    const times = [value.number * 1000, value.number];
    const epoch = times.find(time => time >= first && time <= last);
    if (value.type === 'number' && epoch !== undefined) return epoch;
    const text = this.text(value);
    return text === null ? null : this.date(text, field);
  }

  fails(constraint: Constraint, row: number, rows: readonly number[]): boolean {
    if (constraint.kind === 'unique') return this.isRepeated(constraint.fields, row, rows);
    const field = constraint.field!;
    const value = this.cell(field, row);
    if (constraint.kind === 'nullable') return !isThere(value);
    if (!isThere(value)) return false;
    if (constraint.kind === 'compare') {
      if ('value' in constraint.with)
        return !this.compares(field, value, constraint.op, null, constantOf(constraint.with.value));
      const other = this.cell(constraint.with.field, row);
      return isThere(other) && !this.compares(field, value, constraint.op, constraint.with.field, other);
    }
    if (constraint.kind === 'monotonic') {
      const before = rows.filter(each => each < row && isThere(this.cell(field, each))).at(-1);
      const op = constraint.expected === 'increasing' ? '<' : '>';
      return before !== undefined && this.compares(field, value, op, field, this.cell(field, before)!);
    }
    return this.isWrong(constraint, value);
  }

  isWrong(constraint: Constraint, value: Cell): boolean {
    const [number, text] = [this.number(value), this.text(value)];
    switch (constraint.kind) {
      case 'type':
        return !constraint.expected.some(type => this.isOf(value, type));
      case 'minimum':
        return number !== null && number < constraint.expected;
      case 'maximum':
        return number !== null && number > constraint.expected;
      case 'exclusive_minimum':
        return number !== null && number <= constraint.expected;
      case 'exclusive_maximum':
        return number !== null && number >= constraint.expected;
      case 'multiple_of':
        return number !== null && !isMultiple(number, constraint.expected);
      case 'enum':
        return !this.isOneOf(value, constraint.expected);
      case 'pattern':
        return text !== null && !new RegExp(constraint.expected, 'u').test(text);
      case 'min_length':
        return text !== null && [...text].length < constraint.expected;
      case 'max_length':
        return text !== null && [...text].length > constraint.expected;
      case 'format':
        return text !== null && !IS_FORMAT[constraint.expected]!(text);
      default:
        throw new Error(`no oracle of ${constraint.kind}`);
    }
  }

  isOf(value: Cell, type: string): boolean {
    const number = this.number(value);
    if (type === 'number') return number !== null;
    if (type === 'integer') return number !== null && Number.isInteger(number);
    if (type === 'string') return this.isCsv || value.type === 'string';
    const isWord = this.isCsv && /^(true|false)$/i.test(value.text);
    return value.type === type || (type === 'boolean' && isWord);
  }

  isRepeated(fields: readonly string[], row: number, rows: readonly number[]): boolean {
    const key = (of: number): string | null => {
      const values = fields.map(field => this.cell(field, of));
      if (!values.every(isThere)) return null;
      return JSON.stringify(
        values.map(value => [value.type, value.type === 'number' ? exactNumber(value) : value.text]),
      );
    };
    const own = key(row);
    return own !== null && rows.some(other => other !== row && key(other) === own);
  }

  compares(field: string, left: Cell, op: string, other: string | null, right: Cell): boolean {
    const order = this.orderOf(field, left, other ?? field, right);
    if (order === null) return op === '!=';
    return {
      '==': order === 0,
      '!=': order !== 0,
      '<': order < 0,
      '<=': order <= 0,
      '>': order > 0,
      '>=': order >= 0,
    }[op]!;
  }

  /** Null: they cannot be compared. */
  orderOf(field: string, left: Cell, other: string, right: Cell): number | null {
    const [p, q] = [this.boolean(left), this.boolean(right)];
    if (p !== null && q !== null) return p === q ? 0 : null;
    const [a, b] = [this.number(left), this.number(right)];
    // A constant of a rule is a double.
    if (a !== null && b !== null)
      return constants.has(right) ? Math.sign(a - b) || 0 : exactOrder(left, right);
    const [s, t] = [this.text(left), this.text(right)];
    if (s === null || t === null || (a === null) !== (b === null)) return null;
    const [d, e] = [this.date(s, field), this.date(t, other)];
    if ((d === null) !== (e === null)) return null;
    return d !== null && e !== null ? Math.sign(d - e) : Buffer.compare(Buffer.from(s), Buffer.from(t));
  }
}

const constants = new WeakSet<Cell>();

/** A constant as a cell. A text keeps what it is written as. */
function constantOf(value: Scalar): Cell {
  const type = typeof value as 'string' | 'number' | 'boolean';
  const cell = { type, text: String(value), number: typeof value === 'number' ? value : Number.NaN };
  constants.add(cell);
  return cell;
}

/** By whole numbers: the decimals of both are written out. */
function isMultiple(x: number, of: number): boolean {
  const places = (n: number): number => {
    const [digits, exponent = '0'] = String(n).split('e');
    return Math.max(0, (digits!.split('.')[1] ?? '').length - Number(exponent));
  };
  const most = Math.max(places(x), places(of));
  const whole = (n: number): bigint => {
    const [digits, exponent = '0'] = String(n).split('e');
    const [before, after = ''] = digits!.split('.');
    const shift = most + Number(exponent) - after.length;
    return BigInt(before! + after) * 10n ** BigInt(shift);
  };
  return whole(x) % whole(of) === 0n;
}

const isDay = (text: string): boolean => {
  const at = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
};
const CLOCK = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(z|[+-]([01]\d|2[0-3]):[0-5]\d)?$/i;

export const IS_FORMAT: Record<string, (text: string) => boolean> = {
  date: isDay,
  time: text => CLOCK.test(text),
  'date-time': text =>
    /^[t ]$/i.test(text.slice(10, 11)) && isDay(text.slice(0, 10)) && CLOCK.test(text.slice(11)),
  uuid: text => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
  ipv4: isIPv4,
  ipv6: text => isIPv6(text) && !text.includes('%'),
  email: isEmail,
  uri: isUri,
  country: text => ['DE', 'FR', 'US'].includes(text),
  currency: text => ['EUR', 'USD'].includes(text),
};

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  const isAtom = (part: string) => /^[\w!#$%&'*+/=?^`{|}~-]+$/.test(part);
  const isLocal = local.split('.').every(isAtom) || /^"([ !#-[\]-~]|\\[ -~])*"$/.test(local);
  const isLabel = (part: string) =>
    /^[a-z\d-]{1,63}$/i.test(part) && !part.startsWith('-') && !part.endsWith('-');
  const labels = domain.split('.');
  const literal = /^\[(IPv6:)?(.*)\]$/.exec(domain);
  const isDomain = literal
    ? (literal[1] ? IS_FORMAT.ipv6! : isIPv4)(literal[2]!)
    : labels.length > 1 && labels.every(isLabel);
  return at > 0 && isLocal && isDomain;
}

/** RFC 3986, part by part. */
function isUri(text: string): boolean {
  const parts = /^([a-z][a-z\d+.-]*):(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is.exec(text);
  if (!parts) return false;
  const [, , authority, path = '', query = '', fragment = ''] = parts;
  const isOf = (part: string, signs: string): boolean =>
    [...part.replaceAll(/%[\da-f]{2}/gi, '')].every(
      c => /^[a-z\d._~!$&'()*+,;=-]$/i.test(c) || signs.includes(c),
    );
  if (!isOf(path, ':@/') || !isOf(query, ':@/?') || !isOf(fragment, ':@/?')) return false;
  if (authority === undefined) return !path.startsWith('//');
  const at = authority.lastIndexOf('@');
  const [user, hostAndPort] = [authority.slice(0, Math.max(0, at)), authority.slice(at + 1)];
  const [, host, port = ''] = /^(\[.*\]|[^:]*)(?::(.*))?$/s.exec(hostAndPort) ?? [];
  const inner = host !== undefined && /^\[(.*)\]$/s.exec(host)?.[1];
  const isHost = inner
    ? IS_FORMAT.ipv6!(inner) ||
      (/^v[\da-f]+\../i.test(inner) && isOf(inner.slice(inner.indexOf('.') + 1), ':') && !inner.includes('%'))
    : host !== undefined && isOf(host, '');
  return isOf(user, ':') && isHost && /^\d*$/.test(port);
}

// ---- statistics ----

const numbersIn = (values: readonly Cell[]): number[] =>
  values.flatMap(({ number }) => (Number.isFinite(number) ? [number] : [])).sort((a, b) => a - b);
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0);
const meanOf = (numbers: readonly number[]): number => sumOf(numbers) / numbers.length;
/** Type 7 of Hyndman and Fan (1996). */
function quantileOf(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return low + (at - Math.floor(at)) * (high - low);
}
const ofNumbers = (of: (sorted: readonly number[]) => number) => (values: readonly Cell[]) => {
  const numbers = numbersIn(values);
  return numbers.length === 0 ? Number.NaN : of(numbers);
};
const quantile = (share: number) => ofNumbers(sorted => quantileOf(sorted, share));

/** NaN without a value to read. */
const STATISTICS: Record<string, (values: readonly Cell[], rows: number) => number> = {
  null_rate: (values, rows) => (rows - values.length) / rows,
  distinct_count: values =>
    new Set(
      values.map(({ type, text, number }) =>
        JSON.stringify([
          type,
          type === 'number' ? number + 0 : type === 'boolean' ? text.toLowerCase() : text,
        ]),
      ),
    ).size,
  sum: ofNumbers(sumOf),
  mean: ofNumbers(meanOf),
  median: quantile(1 / 2),
  quartile_1: quantile(1 / 4),
  quartile_3: quantile(3 / 4),
  quantile_1_16: quantile(1 / 16),
  quantile_15_16: quantile(15 / 16),
  interquartile_range: ofNumbers(sorted => quantileOf(sorted, 3 / 4) - quantileOf(sorted, 1 / 4)),
  standard_deviation: ofNumbers(sorted => Math.sqrt(meanOf(sorted.map(x => (x - meanOf(sorted)) ** 2)))),
};
export const ORACLE_STATISTICS = Object.keys(STATISTICS);
