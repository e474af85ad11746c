// Runs in every page before its own scripts; not a module, because the browser is given it as it is.
document.addEventListener('securitypolicyviolation', (event) => {
  console.error(`violated ${event.violatedDirective}: ${event.blockedURI} ${event.sample}`);
});

/** What of a page runs or loads although only our own files may: elements and attributes that a text must never become. */
window.foreignMarkup = () => {
  const never = ['iframe', 'object', 'embed', 'base', 'math', 'audio', 'video', 'style', 'marquee', 'img'];
  const found = [];
  for (const element of document.querySelectorAll('*')) {
    const name = element.localName;
    if (never.includes(name)) found.push(`<${name}>`);
    if (name === 'script' && !element.src.startsWith(`${location.origin}/`)) found.push('<script> of another');
    for (const { name: attribute, value } of element.attributes) {
      if (attribute.startsWith('on') || attribute === 'style' || attribute === 'srcdoc') found.push(`${name}[${attribute}]`);
      const address = ['href', 'src', 'action', 'formaction', 'xlink:href'].includes(attribute);
      if (address && /^\s*(javascript|vbscript|data):/iu.test(value)) found.push(`${name}[${attribute}=${value.slice(0, 20)}]`);
    }
  }
  return found;
};
