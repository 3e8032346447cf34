/** The columns of a Parquet schema as fields, with the levels at which their values are there (Dremel, Melnik et al. 2010). */
import type { SchemaTree } from 'hyparquet';
import { type Field, type Nesting, shortened } from '../field.ts';
import { damaged } from './damaged.ts';
import type { Leaf } from './pages.ts';
import { type LeafType, leafTypeOf } from './types.ts';
import { quoted } from '../../errors.ts';

interface Base {
  field: Field;
  /** From this level of definition on the value is not null. */
  definition: number;
}

export type LeafNode = Base & { kind: 'leaf'; leaf: Leaf; type: LeafType };
export type StructNode = Base & { kind: 'struct'; children: Node[] };
/** Also of maps, whose items are structs. */
export type ListNode = Base & {
  kind: 'list';
  item: Node;
  /** From this level of definition on there is an item. */
  itemDefinition: number;
  /** Up to this level of repetition an item begins. */
  itemRepetition: number;
};
export type Node = LeafNode | StructNode | ListNode;

export const nodeOf = (tree: SchemaTree): Node => read(tree, { definition: 0, repetition: 0, isItem: false });

export function leavesOf(node: Node): LeafNode[] {
  if (node.kind === 'leaf') return [node];
  return node.kind === 'list' ? leavesOf(node.item) : node.children.flatMap(leavesOf);
}

interface Above {
  definition: number;
  repetition: number;
  /** The list of a repeated node has been read. */
  isItem: boolean;
}

function read(tree: SchemaTree, { definition, repetition, isItem }: Above): Node {
  const { element, children, path } = tree;
  const { repetition_type, converted_type, logical_type } = element;
  const inner: Above = { definition: definition + 1, repetition: repetition + 1, isItem: true };
  if (repetition_type === 'REPEATED' && !isItem) return listOf(tree, definition, inner, read(tree, inner));
  const own = definition + (repetition_type === 'OPTIONAL' ? 1 : 0);
  if (children.length === 0) {
    if (element.type === undefined) throw damaged(`the column ${quoted(path.join('.'))} has no type`);
    const leaf = { path: path.join('.'), element, maxDefinition: own, maxRepetition: repetition };
    const type = leafTypeOf(element);
    return { kind: 'leaf', field: fieldOf(tree, type, null, []), definition: own, leaf, type };
  }
  const [repeated] = children as [SchemaTree];
  const isGroup = children.length === 1 && repeated.element.repetition_type === 'REPEATED';
  const kind = logical_type?.type ?? converted_type;
  const items = { ...inner, definition: own + 1 };
  if (isGroup && kind === 'LIST')
    return listOf(tree, own, items, read(itemOf(tree, repeated), itemAbove(tree, repeated, items)));
  if (isGroup && MAPS.has(kind ?? '') && repeated.children.length === 2)
    return listOf(tree, own, items, read(repeated, items), 'map');
  const nodes = children.map(child => read(child, { definition: own, repetition, isItem: false }));
  const fields = nodes.map(({ field }) => field);
  return { kind: 'struct', field: fieldOf(tree, STRUCT, 'struct', fields), definition: own, children: nodes };
}

const MAPS = new Set(['MAP', 'MAP_KEY_VALUE']);
const STRUCT = { layout: null, parameter: 0, isJson: false };

/** Older writers leave out the group around an item (Parquet's rules for backward compatibility of lists). */
function isBare({ element }: SchemaTree, repeated: SchemaTree): boolean {
  const [child, ...others] = repeated.children;
  const isTuple = repeated.element.name === 'array' || repeated.element.name === `${element.name}_tuple`;
  return child === undefined || others.length > 0 || isTuple || child.element.repetition_type === 'REPEATED';
}

const itemOf = (list: SchemaTree, repeated: SchemaTree): SchemaTree =>
  isBare(list, repeated) ? repeated : repeated.children[0]!;

const itemAbove = (list: SchemaTree, repeated: SchemaTree, items: Above): Above => ({
  ...items,
  isItem: isBare(list, repeated),
});

function listOf(
  tree: SchemaTree,
  definition: number,
  items: Above,
  item: Node,
  nesting: 'list' | 'map' = 'list',
): ListNode {
  const field = fieldOf(tree, STRUCT, nesting, [item.field]);
  return {
    kind: 'list',
    field,
    definition,
    item,
    itemDefinition: items.definition,
    itemRepetition: items.repetition,
  };
}

function fieldOf(
  { element: { name } }: SchemaTree,
  {
    layout,
    parameter,
    isJson,
    physicalType,
  }: Pick<Field, 'layout' | 'parameter' | 'isJson'> & { physicalType?: string },
  nesting: Nesting | null,
  children: Field[],
): Field {
  const inner =
    nesting === 'map'
      ? children[0]!.children.map(child => child.physicalType)
      : children.map(child => `${child.name}: ${child.physicalType}`);
  return {
    name,
    layout,
    parameter,
    isJson,
    nesting,
    children,
    dictionary: null,
    physicalType: shortened(physicalType ?? `${nesting}<${inner.join(', ')}>`),
  };
}
