/** A worker of the peers' bench that says it is ready and then never answers. */
process.on('message', () => {});
process.on('disconnect', () => process.exit(1));
process.send?.({ is: 'ready' });
