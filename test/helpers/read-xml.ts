import { SaxesParser } from 'saxes';

/** An XML element as written. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
}

/**
 * Converts an XML response back to the equivalent JSON, using only its `type` and `nil` attributes and no knowledge of the schema. The only
 * structural difference is the job list, whose entries have an additional wrapper in JSON.
 */
export function readXmlAnswer(xml: string): unknown {
  const root = parseXml(xml);
  if (root.name !== 'api-response') throw new Error(`the root is ${root.name}`);
  const [only] = root.children;
  if (root.children.length === 1 && only?.name === 'jobs' && only.attributes.type === 'array') {
    return only.children.map((job) => ({ [job.name]: readElement(job) }));
  }
  return readElement(root);
}

/** The root element of a document. Throws if it is not well-formed. */
export function parseXml(xml: string): XmlElement {
  const parser = new SaxesParser();
  const open: XmlElement[] = [];
  let root: XmlElement | null = null;
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    // Plain strings, since the parser ignores namespaces.
    const plain = attributes as Readonly<Record<string, string>>;
    const element: XmlElement = { name, attributes: plain, children: [], text: '' };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  });
  parser.on('closetag', () => void open.pop());
  parser.write(xml).close();
  if (root === null) throw new Error('there is no root');
  return root;
}

function readElement({ name, attributes, children, text }: XmlElement): unknown {
  const { type, nil } = attributes;
  if (nil === 'true') {
    if (children.length > 0 || text !== '') throw new Error(`${name} is nil but not empty`);
    return null;
  }
  switch (type) {
    case 'array':
      return children.map(readElement);
    case 'integer':
      if (!/^-?\d+$/.test(text)) throw new Error(`${name} is not an integer: ${text}`);
      return Number(text);
    case 'float':
      if (!/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text)) throw new Error(`${name} is not a float: ${text}`);
      return Number(text);
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw new Error(`${name} is not a boolean: ${text}`);
      return text === 'true';
    case undefined:
      return children.length > 0 ? fieldsOf(children) : text;
    default:
      throw new Error(`${name} has the unknown type ${type}`);
  }
}

function fieldsOf(children: readonly XmlElement[]): Readonly<Record<string, unknown>> {
  const names = children.map(({ name }) => name);
  if (new Set(names).size < names.length) throw new Error(`elements appear twice: ${names.join(', ')}`);
  return Object.fromEntries(children.map((child) => [child.name, readElement(child)]));
}
