/** Declared rules checked one row after another, by slow and obvious code. */
import { DateForm, DateOrder, DateStyle } from '../../assembly/abi-dates.ts';
import type { Condition, Constraint, DeclaredRules } from '../../src/rules/declared/constraint.ts';
import type { Scalar } from '../../src/rules/declared/document.ts';
import type { Batch, Cell } from './batch.ts';
import { dateOf } from './date-time.ts';

type Value = Cell | undefined;

const isThere = (value: Value): value is Cell => value !== undefined && value.type !== 'null';

/** Rows by rule, for rules about rows; those that hold are missing. */
export function failingRows(batch: Batch, rules: DeclaredRules, isCsv: boolean): Map<string, number[]> {
  const look = new Look(batch, isCsv);
  const failing = new Map<string, number[]>();
  for (const constraint of rules.constraints) {
    const condition = constraint.condition === null ? null : rules.conditions[constraint.condition]!;
    const chosen = batch.rows.keys().filter(row => condition === null || look.holds(condition, row));
    const rows = [...chosen];
    const fails = rows.filter(row => look.fails(constraint, row, rows));
    const { tolerance } = constraint;
    const measure = tolerance < 1 ? fails.length / rows.length : fails.length;
    if (fails.length > 0 && measure > tolerance) failing.set(constraint.rule, fails);
  }
  return failing;
}

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
        return text !== null && !FORMATS[constraint.expected]!(text);
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
        values.map(({ type, text, number }) => [type, type === 'number' ? number + 0 : text]),
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
    if (a !== null && b !== null) return Math.sign(a - b) || 0;
    const [s, t] = [this.text(left), this.text(right)];
    if (s === null || t === null || (a === null) !== (b === null)) return null;
    const [d, e] = [this.date(s, field), this.date(t, other)];
    if ((d === null) !== (e === null)) return null;
    return d !== null && e !== null ? Math.sign(d - e) : Buffer.compare(Buffer.from(s), Buffer.from(t));
  }
}

/** A constant as a cell. A text keeps what it is written as. */
function constantOf(value: Scalar): Cell {
  const type = typeof value as 'string' | 'number' | 'boolean';
  return { type, text: String(value), number: typeof value === 'number' ? value : Number.NaN };
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

const FORMATS: Record<string, (text: string) => boolean> = {
  date: isDay,
  time: text => CLOCK.test(text),
  'date-time': text =>
    /^[t ]$/i.test(text.slice(10, 11)) && isDay(text.slice(0, 10)) && CLOCK.test(text.slice(11)),
  uuid: text => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
  ipv4: text =>
    /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.test(text) &&
    text.split('.').every(part => Number(part) < 256 && String(Number(part)) === part),
  country: text => ['DE', 'FR'].includes(text),
};
