// Dragging a document to another place with a mouse, a pen or a finger.

const Dragging = (() => {
  'use strict';

  const LEAST_DISTANCE = 4; // a shorter way is a click, in pixels
  const EDGE = 60; // within it the page scrolls, in pixels
  const SCROLL_STEP = 9; // pixels in each frame

  // Lets people drag the elements `.document` between the elements `.documents[data-list]` of a root.
  //   start(name)                  a document is dragged
  //   place(name, list, position)  it is now over a place: the name of the list, and the position there
  //   end(name, isDropped)         it is dropped, or was brought back with Escape
  // A finger drags by the element `.grip` only, so that the page can still be scrolled by the others.
  function listen(root, { start, place, end }) {
    let dragged = null; // {name, card, pointer, fromY, y, image}

    root.addEventListener('pointerdown', (event) => {
      const card = event.target.closest('.document');
      const isGrip = event.target.closest('.grip') !== null;
      const isControl = event.target.closest('button, input, label, select') !== null;
      if (!card || dragged || event.button !== 0) return;
      if (!isGrip && (isControl || event.pointerType === 'touch')) return;
      const { clientY: y, pointerId: pointer } = event;
      dragged = { name: card.dataset.name, card, pointer, fromY: y, y, image: null };
      // The root keeps getting the pointer's events, even if the card is put elsewhere.
      root.setPointerCapture(pointer);
    });

    root.addEventListener('pointermove', (event) => {
      if (dragged?.pointer !== event.pointerId) return;
      dragged.y = event.clientY;
      if (!dragged.image) {
        if (Math.abs(dragged.y - dragged.fromY) < LEAST_DISTANCE) return;
        lift();
      }
      follow();
    });

    root.addEventListener('pointerup', (event) => finish(event, true));
    root.addEventListener('pointercancel', (event) => finish(event, false));
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && dragged) finish({ pointerId: dragged.pointer }, false);
    });

    // Makes an image of the card, which follows the pointer up and down; the card itself shows the place.
    function lift() {
      const box = dragged.card.getBoundingClientRect();
      dragged.image = dragged.card.cloneNode(true);
      // Radio buttons of the same name would uncheck each other.
      for (const input of dragged.image.querySelectorAll('input')) input.removeAttribute('name');
      dragged.image.querySelector('.rank').textContent = '';
      dragged.image.classList.add('lifted');
      dragged.image.setAttribute('aria-hidden', 'true');
      for (const side of ['left', 'top', 'width', 'height']) dragged.image.style[side] = `${box[side]}px`;
      root.append(dragged.image);
      root.classList.add('dragging');
      start(dragged.name);
      requestAnimationFrame(scroll);
    }

    function follow() {
      dragged.image.style.transform = `translateY(${dragged.y - dragged.fromY}px)`;
      const box = dragged.image.getBoundingClientRect();
      const middle = box.top + box.height / 2;
      const list = nearestList(middle);
      place(dragged.name, list.dataset.list, positionIn(list, middle));
    }

    function scroll() {
      if (!dragged?.image) return;
      if (dragged.y < EDGE) scrollBy(0, -SCROLL_STEP);
      if (dragged.y > innerHeight - EDGE) scrollBy(0, SCROLL_STEP);
      follow();
      requestAnimationFrame(scroll);
    }

    function nearestList(y) {
      const distance = (list) => {
        const { top, bottom } = list.getBoundingClientRect();
        return Math.max(top - y, y - bottom, 0);
      };
      const nearer = (a, b) => (distance(b) < distance(a) ? b : a);
      return [...root.querySelectorAll('.documents')].reduce(nearer);
    }

    // The number of other documents in a list whose middle is above a height.
    // offsetTop, unlike getBoundingClientRect, gives where a card will be when its animation has ended.
    function positionIn(list, y) {
      const top = list.getBoundingClientRect().top + list.clientTop;
      const isAbove = (card) => top + card.offsetTop + card.offsetHeight / 2 < y;
      const isOther = (card) => card.dataset.name !== dragged.name;
      return [...list.querySelectorAll('.document')].filter((card) => isOther(card) && isAbove(card)).length;
    }

    function finish(event, isDropped) {
      if (dragged?.pointer !== event.pointerId) return;
      const { name, card, image, pointer } = dragged;
      dragged = null;
      if (root.hasPointerCapture(pointer)) root.releasePointerCapture(pointer);
      if (image) {
        image.remove();
        root.classList.remove('dragging');
        end(name, isDropped);
      }
      card.querySelector('.grip').focus({ preventScroll: true });
    }
  }

  return { listen };
})();
