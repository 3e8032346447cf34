/** The columns of a Parquet schema as fields, with the levels at which their values are there (Dremel, Melnik et al. 2010). */
import { Fault, MAX_DEPTH } from '../../../assembly/abi.ts';
import { tooLarge } from '../columns-error.ts';
import { type Field, type Nesting, shortened } from '../field.ts';
import { damaged } from './damaged.ts';
import type { SchemaElement } from './metadata.ts';
import type { Leaf } from './pages.ts';
import { type LeafType, leafTypeOf } from './types.ts';
import { quoted } from '../../terms/errors.ts';

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

/** The columns of a schema, which lists its elements depth first. */
export function columnsOf(schema: SchemaElement[]): Node[] {
  const [rest, leaves] = [schema.values(), { count: 0 }];
  const tree = (path: string, depth: number): SchemaTree => {
    if (depth > MAX_DEPTH * 2) throw tooLarge(Fault.DEPTH);
    const { value: element } = rest.next();
    if (element === undefined) throw damaged('its schema lacks columns');
    const own = depth < 2 ? element.name : `${path}.${element.name}`;
    const children: SchemaTree[] = [];
    while (children.length < element.children) children.push(tree(own, depth + 1));
    return { element, children, path: own, leaf: children.length === 0 ? leaves.count++ : -1 };
  };
  return tree('', 0).children.map(child => read(child, { definition: 0, repetition: 0, isItem: false }));
}

interface SchemaTree {
  element: SchemaElement;
  children: SchemaTree[];
  /** Names from the top, joined with dots. */
  path: string;
  /** Which of all leaves it is; -1 for a group. */
  leaf: number;
}

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
  const { repetition: kind, meaning } = element;
  const inner: Above = { definition: definition + 1, repetition: repetition + 1, isItem: true };
  if (kind === 'REPEATED' && !isItem) return listOf(tree, definition, inner, read(tree, inner));
  const own = definition + (kind === 'OPTIONAL' ? 1 : 0);
  if (children.length === 0) {
    if (element.type === null) throw damaged(`the column ${quoted(path)} has no type`);
    const leaf = { index: tree.leaf, path, element, maxDefinition: own, maxRepetition: repetition };
    const type = leafTypeOf(element);
    return { kind: 'leaf', field: fieldOf(element.name, type), definition: own, leaf, type };
  }
  const [repeated] = children as [SchemaTree];
  const isGroup = children.length === 1 && repeated.element.repetition === 'REPEATED';
  const items = { ...inner, definition: own + 1 };
  if (isGroup && meaning?.kind === 'LIST')
    return listOf(tree, own, items, read(itemOf(tree, repeated), itemAbove(tree, repeated, items)));
  if (isGroup && meaning?.kind === 'MAP' && repeated.children.length === 2)
    return listOf(tree, own, items, read(repeated, items), 'map');
  const nodes = children.map(child => read(child, { definition: own, repetition, isItem: false }));
  const fields = nodes.map(({ field }) => field);
  return { kind: 'struct', field: groupOf(element.name, 'struct', fields), definition: own, children: nodes };
}

/** Older writers leave out the group around an item (Parquet's rules for backward compatibility of lists). */
function isBare({ element }: SchemaTree, repeated: SchemaTree): boolean {
  const [child, ...others] = repeated.children;
  const isTuple = repeated.element.name === 'array' || repeated.element.name === `${element.name}_tuple`;
  return child === undefined || others.length > 0 || isTuple || child.element.repetition === 'REPEATED';
}

const itemOf = (list: SchemaTree, repeated: SchemaTree): SchemaTree =>
  isBare(list, repeated) ? repeated : repeated.children[0]!;

const itemAbove = (list: SchemaTree, repeated: SchemaTree, items: Above): Above => ({
  ...items,
  isItem: isBare(list, repeated),
});

function listOf(
  { element }: SchemaTree,
  definition: number,
  items: Above,
  item: Node,
  nesting: 'list' | 'map' = 'list',
): ListNode {
  const field = groupOf(element.name, nesting, [item.field]);
  const [itemDefinition, itemRepetition] = [items.definition, items.repetition];
  return { kind: 'list', field, definition, item, itemDefinition, itemRepetition };
}

/** The field of a group. A leaf's has no nesting and no children. */
function groupOf(name: string, nesting: Nesting | null, children: Field[]): Field {
  const inner =
    nesting === 'map'
      ? children[0]!.children.map(child => child.physicalType)
      : children.map(child => `${child.name}: ${child.physicalType}`);
  const physicalType = shortened(`${nesting}<${inner.join(', ')}>`);
  return {
    name,
    layout: null,
    parameter: 0,
    isJson: false,
    nesting,
    children,
    dictionary: null,
    physicalType,
  };
}

function fieldOf(name: string, { layout, parameter, isJson, physicalType }: LeafType): Field {
  return { ...groupOf(name, null, []), layout, parameter, isJson, physicalType: shortened(physicalType) };
}
