/** Moves schemas with a name (`$id`) to the components of the document, and refers to them everywhere else. */

interface Document {
  components?: object;
  [member: string]: unknown;
}

/** Returns the document with its named schemas in `components.schemas`. Each name must belong to one schema. */
export function withComponents(document: Document): Document {
  const schemas: Record<string, unknown> = {};
  const referring = replaced(document, schemas) as Document;
  return { ...referring, components: { ...referring.components, schemas } };
}

function replaced(value: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map(each => replaced(each, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const { $id: name, ...rest } = value as Record<string, unknown>;
  const members = Object.fromEntries(
    Object.entries(rest).map(([key, member]) => [key, replaced(member, schemas)]),
  );
  if (typeof name !== 'string') return members;
  schemas[name] = members;
  return { $ref: `#/components/schemas/${name}` };
}
