/** A field beside its neighbour: the nearest column before it that every row has. */
import { Column } from '../../assembly/abi.ts';
import { count, measurementFamily } from './measurement.ts';
import { at, distinctShare, type Statistic, share, UNKNOWN_AT_FIRST } from './statistic.ts';
import { TEXTS } from './texts.ts';

/** All over the inspected cells. */
export const NEIGHBOURS = measurementFamily(TEXTS.end, {
  /** 24 bits of the neighbour's name; 0 without one. */
  neighbour: count(Column.NEIGHBOUR, 'cells'),
  /** Rows in which both have a value, and distinct pairs of these values. */
  paired: count(Column.PAIRED, 'cells'),
  pairs: count(Column.PAIRS, 'cells'),
  /** Rows in which both are numbers that differ from the row before; how often both rise or both fall. */
  compared: count(Column.COMPARED, 'cells'),
  agreeing: count(Column.AGREEING, 'cells'),
});

const { paired, pairs, compared, agreeing } = NEIGHBOURS.place;

/** Compared only with batches in which the field had the same neighbour. */
export const NEIGHBOUR_STATISTICS: readonly Statistic[] = [
  distinctShare(
    {
      id: 'distinct_pair_share',
      label: 'share of distinct pairs with a column beside it',
      family: 'neighbours',
      isPrivate: false,
    },
    pairs,
    paired,
    UNKNOWN_AT_FIRST,
  ),
  share(
    {
      id: 'agreement_share',
      label: 'share of rows that rise and fall with a column beside it',
      family: 'neighbours',
      isPrivate: false,
    },
    at(agreeing),
    at(compared),
    UNKNOWN_AT_FIRST,
  ),
];
