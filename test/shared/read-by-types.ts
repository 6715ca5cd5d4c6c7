import type { Field } from '../../src/shared/records/field.js';
import { parseXml, type XmlElement } from '../helpers/read-xml.js';

/**
 * Parses an XML answer as a client does that uses only the `type` and `nil` attributes to determine text values, objects and
 * lists. The shape only determines whether an empty element is a text or an object, and where list entries are wrapped in JSON.
 */
export function readByTypes(xml: string, shape: Field): unknown {
  const top = parseXml(xml);
  if (top.name !== 'api-response') throw new Error(`the root is ${top.name}`);
  if (shape.type !== 'array') return valueIn(top, shape);
  const [list, ...others] = top.children;
  if (list === undefined || others.length > 0 || list.name !== shape.name) throw new Error('no list');
  return valueIn(list, shape);
}

function valueIn(element: XmlElement, field: Field | undefined): unknown {
  const { attributes, children, text } = element;
  const unknown = Object.keys(attributes).filter((name) => name !== 'type' && name !== 'nil');
  if (unknown.length > 0) throw new Error(`unknown attributes ${unknown.join()}`);
  if (attributes.nil === 'true') return null;
  switch (attributes.type) {
    case 'integer':
      if (!/^-?\d+$/.test(text)) throw new Error(`${text} is no integer`);
      return Number(text);
    case 'float':
      if (!/^-?\d+(\.\d+)?$/.test(text)) throw new Error(`${text} is no float`);
      return Number(text);
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw new Error(`${text} is no boolean`);
      return text === 'true';
    case 'array':
      if (field?.type !== 'array') throw new Error(`${element.name} is a list`);
      return children.map((child) => entryOf(child, field.of, field.item));
    case undefined:
      return field?.type === 'object'
        ? Object.fromEntries(children.map((child) => [child.name, valueIn(child, field.fields[child.name])]))
        : text;
    default:
      throw new Error(`unknown type ${attributes.type}`);
  }
}

function entryOf(child: XmlElement, of: Field, item: string): unknown {
  if (child.name !== item) throw new Error(`an entry is called ${child.name}, not ${item}`);
  const isWrapped = of.type === 'object' && Object.keys(of.fields).join() === item;
  return isWrapped ? { [item]: valueIn(child, of.fields[item]) } : valueIn(child, of);
}
