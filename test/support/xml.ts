import { SaxesParser } from 'saxes';

/** An element of a parsed document. */
export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: XmlElement[];
  /** Its own text, children's left out. */
  text: string;
}

/** Parses by a strict parser that knows namespaces; throws where the text is not well-formed XML 1.0. */
export function parseXml(xml: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true });
  const root: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const inner = (): XmlElement => open.at(-1) ?? root;
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const values = Object.entries(attributes).map(([key, { value }]): [string, string] => [key, value]);
    const element = { name, attributes: Object.fromEntries(values), children: [], text: '' };
    inner().children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  parser.on('text', (text) => (inner().text += text));
  parser.on('cdata', (text) => (inner().text += text));
  parser.write(xml).close();
  const [document] = root.children;
  if (!document) throw new Error('an empty document');
  return document;
}

/** The elements below with this name, at any depth. */
export function elementsOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...elementsOf(child, name)]);
}
